import { constants } from 'node:fs';
import { stat } from 'node:fs/promises';
import { allows, followPath, kindOfError, readPlace } from '../host/folderFacts';
import {
  isUsablePath,
  type PullFolderFacts,
  type PullFolderRole,
  refusePullFolder,
} from '../sandbox/refusePullFolder';
import type { UserError } from '../sandbox/userError';
import { cacheFolder, type PullFolders } from './pullFolders';

/** A folder that was chosen and can't be used. */
export interface RefusedFolder {
  readonly role: PullFolderRole;
  readonly error: UserError;
}

/**
 * Which of the folders that the user has chosen for pulls and builds can't be used, and why.
 * @param agentFolders those that agents can write
 */
export async function refusedPullFolders(
  folders: PullFolders,
  agentFolders: readonly string[],
): Promise<RefusedFolder[]> {
  const places = await Promise.all(agentFolders.map(readPlace));
  const refused: RefusedFolder[] = [];
  for (const role of ['cache', 'temporary'] as const) {
    const path = folders[role];
    const error = path === '' ? undefined : refusePullFolder(role, await readFacts(role, path), places);
    if (error) refused.push({ role, error });
  }
  return refused;
}

async function readFacts(role: PullFolderRole, path: string): Promise<PullFolderFacts> {
  if (!isUsablePath(path)) {
    const place = { path, ancestry: [] };
    return { configuredPath: path, place, entries: [], kind: 'missing', isWritable: false };
  }
  // its files are in a folder below, which can be a link
  const files = role === 'cache' ? (cacheFolder({ APPTAINER_CACHEDIR: path }) ?? path) : path;
  const { entries, end } = await followPath(files);
  return {
    configuredPath: path,
    place: await readPlace(end),
    entries,
    kind: await stat(path).then((stats) => (stats.isDirectory() ? 'folder' : 'other'), kindOfError),
    isWritable: await allows(path, constants.W_OK | constants.X_OK),
  };
}
