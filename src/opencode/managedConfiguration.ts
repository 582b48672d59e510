import type { ModelUpstream } from '../sandbox/networkAccess';
import { hostedProvider } from './knownProviders';
import {
  asObject,
  type Hostile,
  modelIdPattern,
  namesAt,
  objectIn,
  parseObject,
  providerIdPattern,
} from './hostileJson';
import { permissionConfiguration, type PermissionMode } from './permissions';

/** Far more than a project names. */
export const maximumProviders = 50;

export interface ManagedOptions {
  /** when the agent has to ask; default `allow` */
  readonly permission?: PermissionMode | undefined;
  /** ids of providers that must not be used, whoever names them */
  readonly withheld?: readonly string[];
}

/**
 * The configuration that beats all others of opencode (`/etc/opencode/opencode.json`), so that prompts go only to
 * models that somebody chose: without it opencode's TUI starts on a hosted model of a third party although the
 * project names another (measured with 1.18), and nothing is shared or updated by itself.
 * @param projectTexts content of the project's opencode.json and opencode.jsonc; hostile, and may not even be JSON
 */
export function managedConfiguration(
  projectTexts: readonly string[],
  { permission = 'allow', withheld = [] }: ManagedOptions = {},
): Record<string, unknown> {
  const projects = projectTexts.map(parseObject);
  const { disabled_providers: disabled = [], ...models } = modelConfiguration(projects);
  const allDisabled = unique([...disabled, ...withheld]);
  return {
    share: 'disabled',
    autoupdate: false,
    ...models,
    ...(allDisabled.length === 0 ? {} : { disabled_providers: allDisabled }),
    ...permissionConfiguration(permission, projects),
  };
}

/**
 * Leads the requests for these models to the gateway. Of all that a project can say about where requests go
 * (`options.baseURL`, `api`, `provider.api` and `options.baseURL` of single models), `options.baseURL` of the provider
 * in this configuration wins (measured with 1.18). A header with a key of its own that a project sets still wins;
 * the gateway refuses such a request.
 * @param gateway its address, for example `http://127.0.0.1:3129`, and the token that it takes for a key
 */
export function withModelGateway(
  configuration: Readonly<Record<string, unknown>>,
  models: readonly ModelUpstream[],
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
): Record<string, unknown> {
  if (models.length === 0) return { ...configuration };
  const providers = objectIn(configuration, 'provider');
  const led = models.map(({ providerId }) => {
    const settings = objectIn(providers, providerId);
    const options = { ...objectIn(settings, 'options'), baseURL: `${baseUrl}/${providerId}`, apiKey: token };
    return [providerId, { ...settings, options }] as const;
  });
  return { ...configuration, provider: { ...providers, ...Object.fromEntries(led) } };
}

/**
 * The id of the provider on whose model opencode starts with its managed configuration.
 * @param projectTexts as {@link managedConfiguration} has them
 */
export function startingProvider(projectTexts: readonly string[]): string | undefined {
  return startingModel(projectTexts.map(parseObject))?.split('/', 1)[0];
}

/** Whether opencode may use its own hosted models with this managed configuration. */
export function allowsHostedModels(managed: Readonly<Record<string, unknown>>): boolean {
  const { enabled_providers: enabled, disabled_providers: disabled } = managed;
  if (Array.isArray(disabled) && disabled.includes(hostedProvider)) return false;
  return !Array.isArray(enabled) || enabled.includes(hostedProvider);
}

/** Whether this managed configuration lets opencode use only the providers that the project names. */
export function limitsProviders(managed: Readonly<Record<string, unknown>>): boolean {
  return managed['enabled_providers'] !== undefined;
}

/** Whether the text of a configuration brings providers of its own. Hostile, and may not even be JSON. */
export function namesProviders(text: string): boolean {
  return namesAt(parseObject(text), 'provider').length > 0;
}

/** Ids of all providers that a project's configurations name: as such, or by a model that they choose. Hostile. */
export function providersNamedIn(projects: readonly Hostile[]): {
  readonly defined: readonly string[];
  readonly chosen: readonly string[];
} {
  const defined = projects.flatMap((project) => namesAt(project, 'provider'));
  const chosen = projects.flatMap(modelsChosenIn).map((model) => model.split('/', 1)[0] ?? '');
  const ids = (all: readonly string[]): string[] => unique(all).filter((id) => providerIdPattern.test(id));
  return { defined: ids(defined), chosen: ids(chosen) };
}

interface ModelPart {
  readonly enabled_providers?: readonly string[];
  readonly disabled_providers?: readonly string[];
  readonly model?: string;
  readonly small_model?: string;
}

function modelConfiguration(projects: readonly Hostile[]): ModelPart {
  const { defined, chosen } = providersNamedIn(projects);
  const limits: ModelPart =
    defined.length > 0
      ? { enabled_providers: unique([...defined, ...chosen]).slice(0, maximumProviders) }
      : chosen.includes(hostedProvider)
        ? {}
        : { disabled_providers: [hostedProvider] };
  const named = lastString(projects, 'model');
  const model = startingModel(projects);
  const isWhole = model !== undefined && isModel(model);
  return {
    ...limits,
    ...(isWhole && named === undefined ? { model } : {}),
    // without it opencode picks a small model by itself, for the title of a session, say
    ...(isWhole && lastString(projects, 'small_model') === undefined ? { small_model: model } : {}),
  };
}

function startingModel(projects: readonly Hostile[]): string | undefined {
  return lastString(projects, 'model') ?? projects.map(firstModelIn).find((first) => first !== undefined);
}

/** opencode merges the files in this order, and the last one wins. */
function lastString(projects: readonly Hostile[], key: string): string | undefined {
  return projects.map((project) => project[key]).findLast((value) => typeof value === 'string');
}

function isModel(text: string): boolean {
  const [provider = '', ...model] = text.split('/');
  return providerIdPattern.test(provider) && modelIdPattern.test(model.join('/'));
}

/** Every model that a configuration names as the one to use: for all, for small tasks, for one agent or command. */
function modelsChosenIn(project: Hostile): string[] {
  const users = ['agent', 'mode', 'command'].flatMap((key) => Object.values(objectIn(project, key)));
  const models = [project['model'], project['small_model'], ...users.map((user) => asObject(user)['model'])];
  return models.filter((model) => typeof model === 'string');
}

/** `provider/model` of the first provider that has a model. */
function firstModelIn(project: Hostile): string | undefined {
  for (const provider of namesAt(project, 'provider')) {
    const model = namesAt(project, 'provider', provider, 'models').find((id) => modelIdPattern.test(id));
    if (model !== undefined && providerIdPattern.test(provider)) return `${provider}/${model}`;
  }
  return undefined;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
