import { type BigIntStats, lstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { entryPath, openFolder } from '../host/safeFiles';
import { isDenied, listOpenFolder } from './listFolder';
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
  /** called with each folder of ours that could not be looked into */
  readonly closed: (path: string) => void;
  /** @returns undefined when there was nothing to wait for */
  readonly see: (entry: SeenEntry) => Promise<void> | undefined;
  /** whether to look into a folder besides {@link isLookedInto} */
  readonly isLookedInto: (path: string) => boolean;
}

/** Beyond these a folder is not looked at to its end: a minute of work on a slow disk. */
const maximumEntries = 200_000;
/** a path of this many names has two open descriptors for each */
const maximumDepth = 100;
/** nobody notices a pause of this length */
const workMilliseconds = 8;

interface Scan {
  readonly visitor: TreeVisitor;
  readonly signal: AbortSignal | undefined;
  entries: number;
  isComplete: boolean;
  breakAt: number;
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
  const scan: Scan = { visitor, signal, entries: 0, isComplete: true, breakAt: 0 };
  let place: FileHandle;
  try {
    place = await openBelow(workspace, path);
  } catch (error) {
    return !isDenied(error);
  }
  try {
    await scanFolder(`/proc/self/fd/${place.fd}/.`, path, 0, scan);
  } finally {
    await place.close();
  }
  return scan.isComplete;
}

async function scanFolder(at: string, path: string, depth: number, scan: Scan): Promise<void> {
  let folder: FileHandle;
  try {
    folder = await openFolder(at);
  } catch (error) {
    if (isDenied(error)) scan.isComplete = false;
    return;
  }
  try {
    const place = `/proc/self/fd/${folder.fd}`;
    scan.visitor.enter(path, place);
    const { entries, isComplete, isClosed } = await listOpenFolder(folder, maximumEntries - scan.entries);
    scan.entries += entries.length;
    scan.isComplete &&= isComplete;
    if (isClosed) scan.visitor.closed(path);
    const below: string[] = [];
    for (const { name } of entries) {
      const entry = { path: path === '' ? name : `${path}/${name}`, place: entryPath(folder, name) };
      const stats = statsNow(entry.place);
      if (stats === undefined) continue;
      const seeing = scan.visitor.see({ ...entry, stats });
      if (seeing) await seeing;
      if (stats.isDirectory() && isEntered(entry.path, scan.visitor)) below.push(name);
      if (performance.now() > scan.breakAt) await takeBreak(scan);
    }
    for (const name of below.sort()) {
      if (depth >= maximumDepth || scan.entries >= maximumEntries) scan.isComplete = false;
      else await scanFolder(entryPath(folder, name), path === '' ? name : `${path}/${name}`, depth + 1, scan);
    }
  } finally {
    await folder.close();
  }
}

/** Synchronous, a quarter of the time that it takes otherwise (measured); see {@link takeBreak}. */
function statsNow(place: string): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false });
  } catch {
    // it may not be looked at
    return undefined;
  }
}

/** Lets others work, which share this thread. */
async function takeBreak(scan: Scan): Promise<void> {
  await new Promise((resume) => setImmediate(resume));
  scan.signal?.throwIfAborted();
  scan.breakAt = performance.now() + workMilliseconds;
}

function isEntered(path: string, visitor: TreeVisitor): boolean {
  return isLookedInto(path) && visitor.isLookedInto(path);
}
