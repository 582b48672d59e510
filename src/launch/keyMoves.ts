import { isDeepStrictEqual } from 'node:util';
import { keysIn, type StandingKey, withoutKeys } from '../opencode/configurationEdits';
import { editProjectConfiguration, readProjectConfiguration } from '../opencode/projectConfiguration';
import { wantedModels } from './modelAccess';

/** A key that stands in a file of a project. */
export interface FileKey extends StandingKey {
  /** normalised; absent when the gateway does not reach the provider, and so could not add the key */
  readonly baseUrl?: string;
}

export type MovableKey = FileKey & { readonly baseUrl: string };

/** Where keys are kept: by the normalised base URL. */
export interface KeyStore {
  modelKey(baseUrl: string): Promise<string | undefined>;
  setModelKey(baseUrl: string, key: string): Promise<void>;
}

/**
 * The keys that stand in a project's files, one for each file and provider; those that opencode uses come before those
 * that a later file overrides.
 * @param texts content of the files in the order in which opencode merges them; hostile
 */
export function keysInFiles(texts: readonly string[]): FileKey[] {
  const addresses = new Map(wantedModels(texts).map(({ provider, baseUrl }) => [provider.id, baseUrl]));
  return texts.toReversed().flatMap((text) =>
    keysIn(text).map((standing) => {
      const baseUrl = addresses.get(standing.providerId);
      return baseUrl === undefined ? standing : { ...standing, baseUrl };
    }),
  );
}

/**
 * The keys of a folder that may be moved: the agent can write the file, and a stored key is used for all folders, so
 * only those for servers that somebody approved for this folder.
 * @param approved normalised base URLs
 */
export function movableKeys(found: readonly FileKey[], approved: readonly string[]): MovableKey[] {
  return found.filter(
    (fileKey): fileKey is MovableKey => fileKey.baseUrl !== undefined && approved.includes(fileKey.baseUrl),
  );
}

/**
 * Stores keys that stand in a project's files, and takes out of the files exactly those that are stored then. A key
 * stays where it stands when another one is stored for the same server, or when no server is known for it.
 * @param folder real path
 * @param chosen the keys that somebody chose; one that stands there no more, or leads elsewhere now, is not stored
 * @returns how many keys were taken out, and how many still stand in the files
 * @throws UserError as {@link editProjectConfiguration}; the keys stand in the files then
 */
export async function moveStandingKeys(
  folder: string,
  store: KeyStore,
  chosen: readonly FileKey[],
): Promise<{ readonly moved: number; readonly left: number }> {
  const found = keysInFiles(await readProjectConfiguration(folder)).filter((fileKey) =>
    chosen.some((one) => isDeepStrictEqual(one, fileKey)),
  );
  const stored: FileKey[] = [];
  for (const fileKey of found) {
    if (await isStored(fileKey, store)) stored.push(fileKey);
  }
  await editProjectConfiguration(folder, 'all', (text = '') => withoutKeys(text, stored));
  const left = keysInFiles(await readProjectConfiguration(folder)).length;
  return { moved: stored.length, left };
}

async function isStored({ baseUrl, key }: FileKey, store: KeyStore): Promise<boolean> {
  if (baseUrl === undefined) return false;
  if ((await store.modelKey(baseUrl)) === undefined) await store.setModelKey(baseUrl, key);
  // what the store says now, and not what it was told
  return (await store.modelKey(baseUrl)) === key;
}
