import { lstat, opendir, type FileHandle } from 'node:fs/promises';
import { entryPath, openFolder } from './safeFiles';

/** What the files below a folder take. */
export interface TreeSize {
  /** on the disk, as du(1) counts; a file with several names once */
  readonly bytes: number;
  /** there is more than was looked at: too many files, or folders too deep within folders */
  readonly isCut: boolean;
}

/** How much is looked at. */
export interface TreeLimits {
  readonly bytes: number;
  readonly entries: number;
  readonly depth: number;
}

/** As stat(2) counts, whatever the file system's own blocks are. */
const blockBytes = 512;

interface Walk {
  readonly limits: TreeLimits;
  readonly device: number;
  readonly seen: Set<number>;
  bytes: number;
  entries: number;
  isCut: boolean;
}

/**
 * Measures what lies below a folder that an agent changes meanwhile. Links are not followed, nothing is opened but
 * folders, what is mounted below is left out, and it stops as soon as a limit is passed, so that it can't be kept busy.
 * What has no name any more and what is in a folder without permissions is not seen: this is for mishaps. An agent that
 * means to fill a disk can do so in its workspace.
 * @returns nothing when the folder is gone
 */
export async function measureTree(path: string, limits: TreeLimits): Promise<TreeSize> {
  const folder = await openFolder(path).catch(() => undefined);
  if (folder === undefined) return { bytes: 0, isCut: false };
  try {
    const device = (await folder.stat()).dev;
    const walk: Walk = { limits, device, seen: new Set(), bytes: 0, entries: 0, isCut: false };
    await visit(folder, 0, walk);
    return { bytes: walk.bytes, isCut: walk.isCut };
  } finally {
    await folder.close();
  }
}

function isOver({ bytes, entries, isCut, limits }: Walk): boolean {
  return isCut || bytes > limits.bytes || entries > limits.entries;
}

async function visit(place: FileHandle, depth: number, walk: Walk): Promise<void> {
  if (depth > walk.limits.depth) {
    walk.isCut = true;
    return;
  }
  try {
    for await (const { name } of await opendir(`/proc/self/fd/${place.fd}`)) {
      walk.entries += 1;
      if (walk.entries > walk.limits.entries) walk.isCut = true;
      if (isOver(walk)) return;
      await look(entryPath(place, name), depth, walk);
    }
  } catch {
    // it was removed meanwhile, or closed to its owner, too
  }
}

async function look(path: string, depth: number, walk: Walk): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || stats.dev !== walk.device) return;
  if (stats.nlink > 1 && !stats.isDirectory()) {
    if (walk.seen.has(stats.ino)) return;
    walk.seen.add(stats.ino);
  }
  walk.bytes += stats.blocks * blockBytes;
  if (!stats.isDirectory()) return;
  const folder = await openFolder(path).catch(() => undefined);
  if (folder === undefined) return;
  try {
    await visit(folder, depth + 1, walk);
  } finally {
    await folder.close();
  }
}
