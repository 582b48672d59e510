import { constants, type Stats } from 'node:fs';
import { access, lstat, readlink, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Place, withAncestors } from '../sandbox/paths';
import type { FolderFacts } from '../sandbox/refusals';
import { codeOf } from './safeFiles';

/** Where a path leads. */
export interface FollowedPath {
  /** every entry that is passed, links and their targets too, each with its folder resolved */
  readonly entries: readonly string[];
  /** where it ends; what does not exist is taken by its name */
  readonly end: string;
}

/**
 * Follows a path as the kernel does. Unlike realpath(3) it tells what was passed: who can change any of it decides
 * where the path ends.
 * @param path absolute, without a NUL
 */
export async function followPath(path: string): Promise<FollowedPath> {
  const entries: string[] = [];
  const ahead = path.split('/');
  let here = '/';
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === '' || name === '.') continue;
    const entry = join(here, name);
    const target = name === '..' ? undefined : await readlink(entry).catch(() => undefined);
    if (name !== '..') entries.push(entry);
    // more links than the kernel follows (path_resolution(7)) lead nowhere
    if (target === undefined || entries.length > maximumEntries) {
      here = entry;
    } else {
      ahead.unshift(...target.split('/'));
      if (target.startsWith('/')) here = '/';
    }
  }
  return { entries, end: here };
}

const maximumEntries = 1000;

/** The resolved place of a path, by its name where it does not exist. @param path absolute, without a NUL */
export async function readPlace(path: string): Promise<Place> {
  return nameAncestors((await followPath(path)).end);
}

/** What there is to know of the folder at `path`, for `sandbox/refusals.ts`. A link at its end is not followed. */
export async function readFolderFacts(path: string): Promise<FolderFacts> {
  if (path.includes('\0') || !path.startsWith('/')) {
    return { place: { path, ancestry: [] }, kind: 'missing', ours: false, readable: false, writable: false };
  }
  const folder = (await followPath(dirname(path))).end;
  const place = await nameAncestors(join(folder, basename(path)));
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

async function nameAncestors(path: string): Promise<Place> {
  const ancestry = await Promise.all(
    withAncestors(path).map(async (ancestor) => {
      const stats = await stat(ancestor, { bigint: true }).catch(() => undefined);
      return stats === undefined ? '' : `${stats.dev}:${stats.ino}`;
    }),
  );
  return { path, ancestry };
}
