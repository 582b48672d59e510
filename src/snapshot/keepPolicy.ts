import type { BytePath } from './bytePath';
import type { NotKept } from './manifest';
import type { SnapshotName } from './manifestText';

/** A file whose content may be kept. */
export interface Candidate {
  readonly path: BytePath;
  readonly size: number;
}

/**
 * Which contents are left out, and why. Small files come first: so most files can be brought back, and what people
 * write by hand is small.
 */
export function chooseLeftOut(
  candidates: readonly Candidate[],
  maximumBytes: number,
  largestFile: number,
): ReadonlyMap<BytePath, NotKept> {
  const leftOut = new Map<BytePath, NotKept>();
  let total = 0;
  for (const { path, size } of [...candidates].sort((one, other) => one.size - other.size)) {
    if (size > largestFile) {
      leftOut.set(path, 'large');
    } else if (total + size > maximumBytes) {
      leftOut.set(path, 'full');
    } else {
      total += size;
    }
  }
  return leftOut;
}

/** So many snapshots of one folder are kept. */
const keptSnapshots = 20;

/** Of older runs nobody undoes anything any more. */
const oldestMilliseconds = 30 * 24 * 60 * 60 * 1000;

/**
 * Which snapshots of one folder can go.
 * @param snapshots the oldest first
 * @param living ids of sandboxes that still run: theirs stay
 */
export function snapshotsToDrop(
  snapshots: readonly SnapshotName[],
  living: ReadonlySet<string>,
  now: number,
): SnapshotName[] {
  return snapshots.filter(({ id, time }, index) => {
    const isOld = now - time > oldestMilliseconds || index < snapshots.length - keptSnapshots;
    return isOld && !living.has(id) && index < snapshots.length - 1;
  });
}

/** What one pack of contents holds, and how much of it some snapshot still needs. */
export interface PackUse {
  readonly id: string;
  readonly bytes: number;
  readonly neededBytes: number;
}

/** `remove`: nothing of it is needed. `rewrite`: more than half of it is not. */
export function packsToClean(packs: readonly PackUse[]): { remove: string[]; rewrite: string[] } {
  const remove = packs.filter(({ neededBytes }) => neededBytes === 0);
  const rewrite = packs.filter(({ bytes, neededBytes }) => neededBytes > 0 && neededBytes < bytes / 2);
  return { remove: remove.map(({ id }) => id), rewrite: rewrite.map(({ id }) => id) };
}

/** The snapshots of one folder, as the whole store sees them. */
export interface FolderUse {
  readonly key: string;
  readonly bytes: number;
  /** when its last snapshot was taken */
  readonly lastUse: number;
}

/**
 * Which folders' snapshots are given up when all together take too much room: those that were used longest ago.
 * @param present the folder that is in use: it stays
 */
export function foldersToDrop(
  folders: readonly FolderUse[],
  maximumBytes: number,
  present: string,
): string[] {
  let total = folders.reduce((sum, { bytes }) => sum + bytes, 0);
  const dropped: string[] = [];
  for (const { key, bytes } of [...folders].sort((one, other) => one.lastUse - other.lastUse)) {
    if (total <= maximumBytes) break;
    if (key === present) continue;
    total -= bytes;
    dropped.push(key);
  }
  return dropped;
}
