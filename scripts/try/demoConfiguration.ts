import { demoModelName } from '../demoModel/demoScenario';

/** The id of the provider that is the demo model. */
export const demoProvider = 'demo';
const label = 'Demo model (scripted, not real)';

/**
 * What makes opencode use the demo model and no other.
 * @param baseUrl of a running demo model
 */
export function demoConfiguration(baseUrl: string): Record<string, unknown> {
  const model = { name: 'Demo', limit: { context: 32_768, output: 4096 } };
  return {
    model: `${demoProvider}/${demoModelName}`,
    small_model: `${demoProvider}/${demoModelName}`,
    enabled_providers: [demoProvider],
    provider: {
      [demoProvider]: {
        npm: '@ai-sdk/openai-compatible',
        name: label,
        options: { baseURL: baseUrl, apiKey: 'the-demo-model-needs-no-key' },
        models: { [demoModelName]: model },
      },
    },
  };
}

/** {@link demoConfiguration} as the text of an opencode.json. */
export function demoConfigurationText(baseUrl: string): string {
  const schema = { $schema: 'https://opencode.ai/config.json' };
  return `${JSON.stringify({ ...schema, ...demoConfiguration(baseUrl) }, null, 2)}\n`;
}

/** Whether a text is what {@link demoConfigurationText} makes, for whatever port. */
export function isDemoConfigurationText(text: string): boolean {
  const baseUrl = /"baseURL": "(http:\/\/127\.0\.0\.1:\d+\/v1)"/.exec(text)?.[1];
  return baseUrl !== undefined && text === demoConfigurationText(baseUrl);
}
