import { type BigIntStats, closeSync, lstatSync } from 'node:fs';
import { entryPath } from '../host/safeFiles';
import { openPlace } from '../host/pinned';
import { type FolderEntry, isDenied, listOpenFolder } from './listFolder';
import { openBelow, type OpenFolder } from './openBelow';
import { isLookedInto } from './rules';
import { takeBreak } from './takeBreak';

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
  /** called with each folder when it was listed, and whether it holds more than {@link mostInFolder} */
  readonly listed: (path: string, isCrowded: boolean) => void;
  /** @returns undefined when there was nothing to wait for */
  readonly see: (entry: SeenEntry) => Promise<void> | undefined;
  /** whether to look into a folder besides {@link isLookedInto} */
  readonly isLookedInto: (path: string) => boolean;
}

/** Beyond these a folder is not looked at to its end: a minute of work on a slow disk. */
const maximumEntries = 200_000;
/** a path of this many names has two open descriptors for each */
const maximumDepth = 100;
/**
 * Nor into a folder with a longer path, in UTF-16 units. V8 takes the length of a text of more than 16,383 for its hash,
 * so that each look-up of such a path compares it with all that are as long; and 9,000 findings (3,000 of each severity)
 * must fit into the 64 MB that are read of what is kept.
 */
const longestPath = 6500;
/** So many are looked at in a fifth of a second, while others wait; people keep no more in a folder that they work in. */
export const mostInFolder = 10_000;
/** Folders that hold more are looked at after all others: an agent fills one in a second. */
const mostAtOnce = 2000;
/** for the large folders of a tree, when others wait */
const hurriedMilliseconds = 700;

export interface ScanOptions {
  readonly signal?: AbortSignal;
  /** others wait for it: of large folders not all is looked at */
  readonly isHurried?: boolean;
}

interface Scan extends ScanOptions {
  readonly workspace: string;
  readonly visitor: TreeVisitor;
  /** large folders, to be looked at last, and how deep they are */
  readonly large: Map<string, number>;
  entries: number;
  isComplete: boolean;
  breakAt: number;
}

/**
 * Looks at a folder of the workspace and all below it; no link is followed. Large folders come last.
 * @param path below the workspace, empty for all of it
 * @returns whether all of it was looked at
 */
export async function scanTree(
  workspace: string,
  path: string,
  visitor: TreeVisitor,
  options: ScanOptions = {},
): Promise<boolean> {
  const scan: Scan = {
    ...{ ...options, workspace, visitor, large: new Map() },
    ...{ entries: 0, isComplete: true, breakAt: 0 },
  };
  await scanAt(path, 0, false, scan);
  const deadline = performance.now() + (options.isHurried === true ? hurriedMilliseconds : Infinity);
  for (const [large, depth] of scan.large) {
    if (performance.now() > deadline) scan.isComplete = false;
    else await scanAt(large, depth, true, scan);
  }
  return scan.isComplete;
}

async function scanAt(path: string, depth: number, isLate: boolean, scan: Scan): Promise<void> {
  let place: OpenFolder;
  try {
    place = openBelow(scan.workspace, path);
  } catch (error) {
    if (isDenied(error)) scan.isComplete = false;
    return;
  }
  try {
    await scanFolder(`/proc/self/fd/${place.fd}/.`, path, depth, isLate, scan);
  } finally {
    closeSync(place.fd);
  }
}

async function scanFolder(
  at: string,
  path: string,
  depth: number,
  isLate: boolean,
  scan: Scan,
): Promise<void> {
  if (path.length > longestPath) {
    scan.isComplete = false;
    return;
  }
  let folder: OpenFolder;
  try {
    folder = { fd: openPlace(at) };
  } catch (error) {
    if (isDenied(error)) scan.isComplete = false;
    return;
  }
  try {
    const { visitor } = scan;
    visitor.enter(path, `/proc/self/fd/${folder.fd}`);
    const rest = maximumEntries - scan.entries;
    const most = isLate && scan.isHurried !== true ? rest : Math.min(rest, mostInFolder);
    const { entries, isComplete, hasMore, isClosed } = await listOpenFolder(folder, most, scan.signal);
    if (isClosed) visitor.closed(path);
    if (!isLate && entries.length > mostAtOnce) {
      scan.large.set(path, depth);
      return;
    }
    scan.entries += entries.length;
    if (performance.now() > scan.breakAt) scan.breakAt = await takeBreak(scan.signal);
    scan.isComplete &&= isComplete;
    visitor.listed(path, hasMore || entries.length > mostInFolder);
    for (const name of await seeEntries(folder, path, entries, scan)) {
      const below = path === '' ? name : `${path}/${name}`;
      if (depth >= maximumDepth || scan.entries >= maximumEntries) scan.isComplete = false;
      else await scanFolder(entryPath(folder, name), below, depth + 1, false, scan);
    }
  } finally {
    closeSync(folder.fd);
  }
}

/** @returns the names of the folders to look into */
async function seeEntries(
  folder: OpenFolder,
  path: string,
  entries: readonly FolderEntry[],
  scan: Scan,
): Promise<string[]> {
  const below: string[] = [];
  for (const { name } of entries) {
    const entry = { path: path === '' ? name : `${path}/${name}`, place: entryPath(folder, name) };
    const stats = statsNow(entry.place);
    if (stats === undefined) continue;
    const seeing = scan.visitor.see({ ...entry, stats });
    if (seeing) await seeing;
    if (stats.isDirectory() && isEntered(entry.path, scan.visitor)) below.push(name);
    if (performance.now() > scan.breakAt) scan.breakAt = await takeBreak(scan.signal);
  }
  return below.sort();
}

/** Synchronous, a quarter of the time that it takes otherwise (measured); see {@link takeBreak}. */
export function statsNow(place: string): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false });
  } catch {
    // it may not be looked at
    return undefined;
  }
}

function isEntered(path: string, visitor: TreeVisitor): boolean {
  return isLookedInto(path) && visitor.isLookedInto(path);
}
