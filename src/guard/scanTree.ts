import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { entryPath, openFolder } from '../host/safeFiles';
import { listOpenFolder } from './listFolder';
import { openBelow } from './openBelow';
import { isLookedInto } from './rules';

/** One entry of the tree that is there now. */
export interface SeenEntry {
  /** below the workspace */
  readonly path: string;
  /** where it can be reached while it is being looked at */
  readonly place: string;
  readonly stats: BigIntStats;
}

export interface TreeVisitor {
  /** called with each folder before it is listed, so that nothing is missed between a watch and a look */
  readonly enter: (path: string, place: string) => void;
  readonly see: (entry: SeenEntry) => Promise<void>;
  /** whether to look into a folder besides {@link isLookedInto} */
  readonly isLookedInto: (path: string) => boolean;
}

/** Beyond these a folder is not looked at to its end: a minute of work on a slow disk. */
const maximumEntries = 200_000;
/** a path of this many names has two open descriptors for each */
const maximumDepth = 100;
/** what the four threads of Node's file system work on */
const lookedAtOnce = 32;

interface Scan {
  readonly visitor: TreeVisitor;
  readonly signal: AbortSignal | undefined;
  entries: number;
  isComplete: boolean;
}

/**
 * Looks at a folder of the workspace and all below it; no link is followed.
 * @param path below the workspace, empty for all of it
 * @returns whether all of it was looked at
 */
export async function scanTree(
  workspace: string,
  path: string,
  visitor: TreeVisitor,
  signal?: AbortSignal,
): Promise<boolean> {
  const scan: Scan = { visitor, signal, entries: 0, isComplete: true };
  const place = await openBelow(workspace, path).catch(() => undefined);
  if (place === undefined) return true;
  try {
    await scanFolder(`/proc/self/fd/${place.fd}/.`, path, 0, scan);
  } finally {
    await place.close();
  }
  return scan.isComplete;
}

async function scanFolder(at: string, path: string, depth: number, scan: Scan): Promise<void> {
  const folder = await openFolder(at).catch(() => undefined);
  if (folder === undefined) return;
  try {
    const place = `/proc/self/fd/${folder.fd}`;
    scan.visitor.enter(path, place);
    const { entries, isComplete } = await listOpenFolder(folder, maximumEntries - scan.entries);
    scan.entries += entries.length;
    scan.isComplete &&= isComplete;
    const below: string[] = [];
    for (let start = 0; start < entries.length; start += lookedAtOnce) {
      scan.signal?.throwIfAborted();
      await Promise.all(
        entries.slice(start, start + lookedAtOnce).map(async ({ name }) => {
          const entry = { path: path === '' ? name : `${path}/${name}`, place: entryPath(folder, name) };
          const stats = await lstat(entry.place, { bigint: true }).catch(() => undefined);
          if (stats === undefined) return;
          await scan.visitor.see({ ...entry, stats });
          if (stats.isDirectory() && isEntered(entry.path, scan.visitor)) below.push(name);
        }),
      );
    }
    for (const name of below.sort()) {
      if (depth >= maximumDepth || scan.entries >= maximumEntries) scan.isComplete = false;
      else await scanFolder(entryPath(folder, name), path === '' ? name : `${path}/${name}`, depth + 1, scan);
    }
  } finally {
    await folder.close();
  }
}

function isEntered(path: string, visitor: TreeVisitor): boolean {
  return isLookedInto(path) && visitor.isLookedInto(path);
}
