import {
  authenticationOf,
  hostedKey,
  hostedProvider,
  type KnownProvider,
  knownProviders,
} from '../opencode/knownProviders';
import { type ProjectModel, projectProviders } from '../opencode/projectModels';
import type { SignedUpstream } from '../gateway/gateway';
import { type WantedModel, wantedModels } from './modelAccess';
import type { LocalServer } from './localModels';

/** A server of models that somebody wants to use, before one of its models was chosen. */
export interface ModelTarget {
  readonly kind: 'named' | 'endpoint' | 'local' | 'known' | 'hosted';
  readonly providerId: string;
  /** for people, and for opencode's list of models */
  readonly name: string;
  readonly npm: string;
  /** normalised */
  readonly baseUrl: string;
  /** what the project's files know of its models already */
  readonly models: readonly ProjectModel[];
  /** a key that stands in a file */
  readonly literalKey?: string;
}

/** opencode's package for servers that speak OpenAI's API. It brings it along. */
const compatiblePackage = '@ai-sdk/openai-compatible';

/** What the workspace names already. */
export function namedTarget({ provider, baseUrl, npm }: WantedModel): ModelTarget {
  const { id, models, literalKey } = provider;
  return {
    ...{ kind: 'named', providerId: id, name: id, npm: npm ?? compatiblePackage, baseUrl, models },
    ...(literalKey === undefined ? {} : { literalKey }),
  };
}

/**
 * A server at an address that somebody typed.
 * @param named what the workspace names: the same address keeps its id there, and no other id is taken
 */
export function endpointTarget(baseUrl: string, named: readonly WantedModel[]): ModelTarget {
  const same = named.find((wanted) => wanted.baseUrl === baseUrl);
  if (same) return { ...namedTarget(same), kind: 'endpoint' };
  const { host } = new URL(baseUrl);
  const taken = new Set(named.map(({ provider }) => provider.id));
  const providerId = freeId(
    `at-${host.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')}`.slice(0, 50),
    taken,
  );
  return { kind: 'endpoint', providerId, name: host, npm: compatiblePackage, baseUrl, models: [] };
}

/** A server on this computer. */
export function localTarget({ providerId, name, baseUrl }: LocalServer): ModelTarget {
  return { kind: 'local', providerId, name, npm: compatiblePackage, baseUrl, models: [] };
}

/** A provider that opencode knows by name. */
export function knownTarget({ id, name, npm, baseUrl }: KnownProvider): ModelTarget {
  const kind = id === hostedProvider ? 'hosted' : 'known';
  return { kind, providerId: id, name, npm, baseUrl, models: [] };
}

/** A server that a folder names. */
export interface NamedInFolder {
  /** real path */
  readonly folder: string;
  readonly wanted: WantedModel;
}

/** A server for which a key can be set. */
export interface KeyTarget {
  readonly target: ModelTarget;
  /** real paths of the folders whose files name it; none for a provider that opencode knows */
  readonly folders: readonly string[];
}

/**
 * The servers for which a key can be set: those that opencode knows come first, then those that only files name, which
 * the agent can write. Each address is there once.
 */
export function keyTargets(named: readonly NamedInFolder[]): KeyTarget[] {
  const known = knownProviders.filter(({ id }) => id !== hostedProvider).map(knownTarget);
  const targets = new Map<string, KeyTarget>(
    known.map((target) => [target.baseUrl, { target, folders: [] }] as const),
  );
  for (const { folder, wanted } of named) {
    const found = targets.get(wanted.baseUrl);
    if (found?.target.kind === 'known') continue;
    const target = found?.target ?? namedTarget(wanted);
    targets.set(wanted.baseUrl, { target, folders: [...(found?.folders ?? []), folder] });
  }
  return [...targets.values()];
}

/**
 * Whether the address of a target has to be written into a project's files: opencode knows none for it, or the files
 * lead its id to another one.
 * @param texts content of the files; hostile
 */
export function needsAddress({ kind, providerId, baseUrl }: ModelTarget, texts: readonly string[]): boolean {
  if (kind === 'endpoint' || kind === 'local') return true;
  const address = projectProviders(texts).find(({ id }) => id === providerId)?.address;
  return address !== undefined && !('baseUrl' in address && address.baseUrl === baseUrl);
}

/** Whether a project's files lead to a target. @param texts their content; hostile */
export function leadTo(texts: readonly string[], { providerId, baseUrl }: ModelTarget): boolean {
  return wantedModels(texts).some(
    (wanted) => wanted.provider.id === providerId && wanted.baseUrl === baseUrl,
  );
}

/** What is asked, signed as the gateway will sign it. */
export function signedTarget(target: ModelTarget, key: string | undefined): SignedUpstream {
  const { providerId, baseUrl, npm, kind } = target;
  const used = key ?? (kind === 'hosted' ? hostedKey : undefined);
  return used === undefined
    ? { providerId, baseUrl, authentication: 'none' }
    : { providerId, baseUrl, authentication: authenticationOf(npm), key: used };
}

/** Models to choose from: what the project names first; of the hosted ones, those that cost nothing. */
export function offeredModels(target: ModelTarget, listed: readonly string[]): string[] {
  const usable = target.kind === 'hosted' ? listed.filter((id) => freeModel.test(id)) : listed;
  return [...new Set([...target.models.map(({ id }) => id), ...usable])];
}

/** How OpenCode calls its free models, for which it asks for no account (1.18's catalogue). */
const freeModel = /^big-pickle$|-free$/;

function freeId(wish: string, taken: ReadonlySet<string>): string {
  let id = wish;
  for (let count = 2; taken.has(id); count++) id = `${wish}-${count}`;
  return id;
}
