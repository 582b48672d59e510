import type { ModelAuthentication } from '../sandbox/networkAccess';

/** A provider that opencode knows by name, without an address in a file. */
export interface KnownProvider {
  readonly id: string;
  readonly name: string;
  /** normalised */
  readonly baseUrl: string;
  /** opencode's package for it */
  readonly npm: string;
}

/** opencode's own hosted models ("Zen"), on which its TUI starts when nothing else was chosen. */
export const hostedProvider = 'opencode';

/** The key with which opencode itself uses its free hosted models; no secret (1.18). */
export const hostedKey = 'public';

/**
 * Providers whose models opencode brings along, and whose requests the gateway can pass on. Ids, packages and base
 * URLs are those in opencode 1.18: of its catalogue, or the default of the package; that requests go to
 * `chat/completions`, `responses` or `messages` below them was measured with each package.
 */
export const knownProviders: readonly KnownProvider[] = [
  {
    id: 'anthropic',
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    npm: '@ai-sdk/anthropic',
  },
  { id: 'openai', name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', npm: '@ai-sdk/openai' },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    npm: '@openrouter/ai-sdk-provider',
  },
  { id: 'mistral', name: 'Mistral', baseUrl: 'https://api.mistral.ai/v1', npm: '@ai-sdk/mistral' },
  { id: 'groq', name: 'Groq', baseUrl: 'https://api.groq.com/openai/v1', npm: '@ai-sdk/groq' },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com',
    npm: '@ai-sdk/openai-compatible',
  },
  { id: 'xai', name: 'xAI', baseUrl: 'https://api.x.ai/v1', npm: '@ai-sdk/xai' },
  {
    id: 'togetherai',
    name: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    npm: '@ai-sdk/togetherai',
  },
  {
    id: 'huggingface',
    name: 'Hugging Face',
    baseUrl: 'https://router.huggingface.co/v1',
    npm: '@ai-sdk/openai-compatible',
  },
  {
    id: hostedProvider,
    name: 'OpenCode Zen',
    baseUrl: 'https://opencode.ai/zen/v1',
    npm: '@ai-sdk/openai-compatible',
  },
];

/** The provider of this id, if it is a known one. */
export function knownProvider(id: string): KnownProvider | undefined {
  return knownProviders.find((provider) => provider.id === id);
}

/** How requests of a package of opencode are signed, with a key. @param npm undefined: opencode's default */
export function authenticationOf(npm: string | undefined): ModelAuthentication {
  switch (npm) {
    case '@ai-sdk/anthropic':
      return 'x-api-key';
    case '@ai-sdk/azure':
      return 'api-key';
    default:
      return 'bearer';
  }
}

/** Packages whose requests have other paths than those that the gateway passes on. */
const otherApis = new Set([
  '@ai-sdk/google',
  '@ai-sdk/google-vertex',
  '@ai-sdk/google-vertex/anthropic',
  '@ai-sdk/amazon-bedrock',
  '@ai-sdk/cohere',
  '@ai-sdk/gateway',
]);

/** Whether the gateway can pass on what a package asks for. What is not known is taken for OpenAI's API. */
export function speaksKnownApi(npm: string | undefined): boolean {
  return npm === undefined || !otherApis.has(npm);
}
