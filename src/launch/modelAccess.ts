import {
  authenticationOf,
  hostedKey,
  hostedProvider,
  knownProvider,
  speaksKnownApi,
} from '../opencode/knownProviders';
import { type ProjectProvider, projectProviders } from '../opencode/projectModels';
import { type Message, message } from '../sandbox/message';
import type { ModelUpstream, SandboxSecrets } from '../sandbox/networkAccess';

/** What a person has granted: addresses for one folder, and keys. All base URLs are normalised. */
export interface ModelGrants {
  /** base URLs to which prompts from this folder may go */
  readonly approved: readonly string[];
  /** by base URL: a file that names the same provider with another address never gets the key */
  readonly keys: ReadonlyMap<string, string>;
}

export const noGrants: ModelGrants = { approved: [], keys: new Map() };

/** What becomes of the models that a project names. */
export interface ModelAccess {
  readonly models: ModelUpstream[];
  /** by the id of the provider, which may be a name that all objects have: look only for own ones */
  readonly keys: SandboxSecrets['modelKeys'];
  /** ids of providers that opencode must not use */
  readonly withheld: readonly string[];
  readonly notes: readonly Message[];
}

/** A server of models that a project leads to. */
export interface WantedModel {
  readonly provider: ProjectProvider;
  /** normalised */
  readonly baseUrl: string;
  readonly npm: string | undefined;
}

/**
 * The servers of models to which a project leads, by an address in its files or by the name of a provider that
 * opencode knows. Each needs an approval: the agent can write the files.
 * @param texts content of the project's configurations; hostile
 */
export function wantedModels(texts: readonly string[]): WantedModel[] {
  return projectProviders(texts)
    .map(wantedModel)
    .filter((wanted) => wanted !== undefined);
}

/**
 * Decides of each provider that a project names whether it is reached through the gateway, and with which key.
 * Whatever has an address that was not approved or can't be used is withheld from opencode.
 * @param workspace its path, for the notes
 * @param texts content of the project's configurations; hostile
 */
export function modelAccess(workspace: string, texts: readonly string[], grants: ModelGrants): ModelAccess {
  const models: ModelUpstream[] = [];
  // no assignment by id: a file may call a provider `__proto__`
  const keys = new Map<string, string>();
  const withheld: string[] = [];
  const notes: Message[] = [];
  for (const provider of projectProviders(texts)) {
    const wanted = wantedModel(provider);
    if (wanted === undefined || !grants.approved.includes(wanted.baseUrl)) {
      if (wanted !== undefined || provider.address !== undefined) withheld.push(provider.id);
      notes.push(...notesOnMissing(workspace, provider, wanted));
      continue;
    }
    const { key, isLiteral } = keyFor(wanted, grants);
    models.push({
      providerId: provider.id,
      baseUrl: wanted.baseUrl,
      authentication: key === undefined ? 'none' : authenticationOf(wanted.npm),
    });
    if (key !== undefined) keys.set(provider.id, key);
    notes.push(...notesOnKeys(workspace, wanted, isLiteral));
  }
  return { models, keys: Object.fromEntries(keys), withheld, notes };
}

function wantedModel(provider: ProjectProvider): WantedModel | undefined {
  const known = knownProvider(provider.id);
  const npm = provider.npm ?? known?.npm;
  if (!speaksKnownApi(npm)) return undefined;
  const { address } = provider;
  if (address === undefined) return known && { provider, baseUrl: known.baseUrl, npm };
  return 'baseUrl' in address ? { provider, baseUrl: address.baseUrl, npm } : undefined;
}

function keyFor(
  { provider, baseUrl }: WantedModel,
  { keys }: ModelGrants,
): { readonly key: string | undefined; readonly isLiteral: boolean } {
  const stored = keys.get(baseUrl);
  if (stored !== undefined) return { key: stored, isLiteral: false };
  if (provider.literalKey !== undefined) return { key: provider.literalKey, isLiteral: true };
  const isHosted = baseUrl === knownProvider(hostedProvider)?.baseUrl;
  return { key: isHosted ? hostedKey : undefined, isLiteral: false };
}

function notesOnMissing(
  workspace: string,
  { id, address }: ProjectProvider,
  wanted: WantedModel | undefined,
): Message[] {
  if (wanted !== undefined) {
    return [
      message(
        'opencode.json in {0} names the provider {1}, which is switched off: its address {2} was not approved for this folder.',
        workspace,
        id,
        wanted.baseUrl,
      ),
    ];
  }
  if (address !== undefined && 'refused' in address) {
    return [
      message(
        'opencode.json in {0} names the provider {1}, which is switched off: its base URL can’t be used.',
        workspace,
        id,
      ),
      address.refused,
    ];
  }
  return [
    message(
      'opencode.json in {0} names the provider {1}, which the model gateway can’t reach. “Configure Model…” shows which ones it can.',
      workspace,
      id,
    ),
  ];
}

function notesOnKeys(workspace: string, { provider, baseUrl }: WantedModel, isLiteral: boolean): Message[] {
  return [
    ...(isLiteral
      ? [
          message(
            'A key for {0} stands in opencode.json in {1}, where the agent can read it. “Configure Model…” moves it to secret storage.',
            baseUrl,
            workspace,
          ),
        ]
      : []),
    ...(provider.setsKeyHeader
      ? [
          message(
            'opencode.json in {0} sets a header with a key for {1}, and the model gateway refuses such requests. Remove the header, and use “Set API Key”.',
            workspace,
            provider.id,
          ),
        ]
      : []),
  ];
}
