import { parse, type ParseError } from 'jsonc-parser';

/** A JSON object that somebody else wrote. */
type Hostile = Readonly<Record<string, unknown>>;

/** Ids as opencode's own catalogue has them, and far more than a project names. */
const providerId = /^[\w.-]{1,64}$/;
/** such as `qwen3-coder:30b` or `meta-llama/Llama-3.3-70B` */
const modelId = /^[\w.:@+/-]{1,128}$/;
const maximumProviders = 50;
/** opencode's own hosted models ("Zen"), on which its TUI starts when nothing else was chosen */
const hostedProvider = 'opencode';

/**
 * The configuration that beats all others of opencode (`/etc/opencode/opencode.json`), so that prompts go only to
 * models that somebody chose: without it opencode's TUI starts on a hosted model of a third party although the
 * project names another (measured with 1.18), and nothing is shared or updated by itself.
 * @param projectTexts content of the project's opencode.json and opencode.jsonc; hostile, and may not even be JSON
 */
export function managedConfiguration(projectTexts: readonly string[]): Record<string, unknown> {
  const projects = projectTexts.map(parseObject);
  return { share: 'disabled', autoupdate: false, ...modelConfiguration(projects) };
}

/** Whether opencode may use its own hosted models with this managed configuration. */
export function allowsHostedModels(managed: Readonly<Record<string, unknown>>): boolean {
  const { enabled_providers: enabled, disabled_providers: disabled } = managed;
  return Array.isArray(enabled) ? enabled.includes(hostedProvider) : disabled === undefined;
}

/** Whether this managed configuration lets opencode use only the providers that the project names. */
export function limitsProviders(managed: Readonly<Record<string, unknown>>): boolean {
  return managed['enabled_providers'] !== undefined;
}

/** Whether the text of a configuration brings providers of its own. Hostile, and may not even be JSON. */
export function namesProviders(text: string): boolean {
  return Object.keys(objectIn(parseObject(text), 'provider')).length > 0;
}

function modelConfiguration(projects: readonly Hostile[]): Record<string, unknown> {
  const providers = unique(projects.flatMap((project) => Object.keys(objectIn(project, 'provider')))).filter(
    (id) => providerId.test(id),
  );
  const chosenModels = projects.flatMap(modelsChosenIn);
  const chosenProviders = unique(chosenModels.map((model) => model.split('/')[0] ?? '')).filter((id) =>
    providerId.test(id),
  );
  if (providers.length === 0) {
    return chosenProviders.includes(hostedProvider) ? {} : { disabled_providers: [hostedProvider] };
  }
  const firstModel = projects.map(firstModelIn).find((model) => model !== undefined);
  return {
    enabled_providers: unique([...providers, ...chosenProviders]).slice(0, maximumProviders),
    ...(projects.some((project) => typeof project['model'] === 'string') || firstModel === undefined
      ? {}
      : { model: firstModel }),
  };
}

/** Every model that a configuration names as the one to use: for all, for small tasks, for one agent. */
function modelsChosenIn(project: Hostile): string[] {
  const agents = [...Object.values(objectIn(project, 'agent')), ...Object.values(objectIn(project, 'mode'))];
  const models = [
    project['model'],
    project['small_model'],
    ...agents.map((agent) => asObject(agent)['model']),
  ];
  return models.filter((model) => typeof model === 'string');
}

/** `provider/model` of the first provider that has a model. */
function firstModelIn(project: Hostile): string | undefined {
  for (const [provider, settings] of Object.entries(objectIn(project, 'provider'))) {
    const model = Object.keys(objectIn(asObject(settings), 'models')).find((id) => modelId.test(id));
    if (model !== undefined && providerId.test(provider)) return `${provider}/${model}`;
  }
  return undefined;
}

/** A text that is not an object counts as an empty one: opencode itself refuses it, with the line. */
function parseObject(text: string): Hostile {
  const errors: ParseError[] = [];
  try {
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    return errors.length === 0 ? asObject(value) : {};
  } catch (error) {
    // the parser recurses: a text of brackets only exhausts the stack
    if (error instanceof RangeError) return {};
    throw error;
  }
}

function objectIn(object: Hostile, key: string): Hostile {
  return Object.hasOwn(object, key) ? asObject(object[key]) : {};
}

function asObject(value: unknown): Hostile {
  // a copy has no prototype of the text's making: the parser takes "__proto__" for one
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
