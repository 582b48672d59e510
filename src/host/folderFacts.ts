import { constants, type Stats } from 'node:fs';
import { access, lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Place, withAncestors } from '../sandbox/paths';
import type { FolderFacts } from '../sandbox/refusals';
import { codeOf } from './safeFiles';

/**
 * The resolved place of a path. What does not exist is taken by its name, below what does.
 * @param path absolute, without a NUL
 */
export async function readPlace(path: string): Promise<Place> {
  return nameAncestors(await resolveExisting(path));
}

/** {@link readPlace} of the entry itself: a link at the end of the path is not followed. */
export async function readEntryPlace(path: string): Promise<Place> {
  return nameAncestors(join(await resolveExisting(dirname(path)), basename(path)));
}

/** What there is to know of the folder at `path`, for `sandbox/refusals.ts`. A link at its end is not followed. */
export async function readFolderFacts(path: string): Promise<FolderFacts> {
  if (path.includes('\0') || !path.startsWith('/')) {
    return { place: { path, ancestry: [] }, kind: 'missing', ours: false, readable: false, writable: false };
  }
  const place = await readEntryPlace(path);
  const stats = await lstat(place.path).catch((error: unknown) => kindOfError(error));
  if (typeof stats === 'string') return { place, kind: stats, ours: false, readable: false, writable: false };
  return {
    place,
    kind: kindOf(stats),
    ours: stats.uid === process.geteuid?.(),
    readable: await allows(place.path, constants.R_OK | constants.X_OK),
    writable: await allows(place.path, constants.W_OK | constants.X_OK),
  };
}

/** Whether access(2) allows `mode`; false too when there is nothing. */
export async function allows(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** What a failed stat call says: nothing is there, or we may not look. */
export function kindOfError(error: unknown): 'missing' | 'unreachable' {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(error) ?? '')
    ? 'missing'
    : 'unreachable';
}

function kindOf(stats: Stats): 'folder' | 'link' | 'other' {
  if (stats.isSymbolicLink()) return 'link';
  return stats.isDirectory() ? 'folder' : 'other';
}

async function resolveExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await resolveExisting(parent), basename(path));
  }
}

async function nameAncestors(path: string): Promise<Place> {
  const ancestry = await Promise.all(
    withAncestors(path).map(async (ancestor) => {
      const stats = await stat(ancestor, { bigint: true }).catch(() => undefined);
      return stats === undefined ? '' : `${stats.dev}:${stats.ino}`;
    }),
  );
  return { path, ancestry };
}
