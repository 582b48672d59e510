import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { foldersToDrop, snapshotsToDrop } from '../../snapshot/keepPolicy';
import type { Manifest } from '../../snapshot/manifest';
import {
  nameOfManifest,
  readManifest,
  snapshotNames,
  type SnapshotName,
  writeManifest,
} from '../../snapshot/manifestText';
import { codeOf } from '../safeFiles';
import { cleanPacks, namesIn, writePrivate } from './packs';

/**
 * The snapshots of one workspace are in a folder of their own, 0700, below the folder of all: manifests, packs with
 * contents, notes of when sandboxes ran, and the claim `lock` of whoever works there.
 */

/** The folder for the snapshots of a workspace. @param workspace its real path */
export function storeOf(directory: string, workspace: string): string {
  return join(directory, createHash('sha256').update(workspace).digest('hex').slice(0, 16));
}

/** Who holds this claim may change the store. */
export const lockName = 'lock';

const storeName = /^[0-9a-f]{16}$/;
const temporaryName = /\.[0-9a-f]{16}$/;
/** see `runNotes.ts` */
export const noteName = /^([0-9a-f]{16})\.(begun|ended)$/;

/** What is kept of a workspace, the oldest first. */
export function listSnapshots(store: string): SnapshotName[] {
  return snapshotNames(namesIn(store));
}

/** @returns undefined when it is gone, or of another version */
export function loadManifest(
  store: string,
  { fileName }: Pick<SnapshotName, 'fileName'>,
): Manifest | undefined {
  try {
    return readManifest(gunzipSync(readFileSync(join(store, fileName))).toString('utf8'));
  } catch (error) {
    // Z_…: it is cut off
    if (codeOf(error) === 'ENOENT' || codeOf(error)?.startsWith('Z_')) return undefined;
    throw error;
  }
}

/** The snapshot with this id, if it is there. */
export function findManifest(store: string, id: string): Manifest | undefined {
  const name = listSnapshots(store).find((candidate) => candidate.id === id);
  return name && loadManifest(store, name);
}

/** The last snapshot that can be read. */
export function latestManifest(store: string): Manifest | undefined {
  const latest = listSnapshots(store).at(-1);
  return latest && loadManifest(store, latest);
}

export function saveManifest(store: string, manifest: Manifest): void {
  writePrivate(join(store, nameOfManifest(manifest)), gzipSync(writeManifest(manifest), { level: 1 }));
}

/**
 * Removes old snapshots of a workspace, and contents that no snapshot needs any more. Only who holds the claim of the
 * store may do so.
 * @param living ids of sandboxes that still run
 */
export function cleanStore(store: string, living: ReadonlySet<string>, now: number): void {
  const all = listSnapshots(store);
  const dropped = new Set(snapshotsToDrop(all, living, now));
  for (const { fileName } of dropped) rmSync(join(store, fileName), { force: true });
  for (const name of namesIn(store)) {
    if (temporaryName.test(name)) rmSync(join(store, name), { force: true });
  }
  const needed = new Set<string>();
  for (const name of all) {
    if (dropped.has(name)) continue;
    const manifest = loadManifest(store, name);
    // of another version: what it needs is not known
    if (!manifest) return;
    for (const entry of manifest.entries.values()) {
      if (entry.kind === 'file' && entry.sha256 !== undefined) needed.add(entry.sha256);
    }
  }
  cleanPacks(store, needed);
}

/**
 * Removes the snapshots of the workspaces that were used longest ago when all together take too much room. That sandboxes
 * have run there stays known.
 * @param present the store in use
 */
export function cleanStores(
  directory: string,
  present: string,
  living: ReadonlySet<string>,
  maximumBytes: number,
): void {
  const keys = namesIn(directory).filter((name) => storeName.test(name));
  const folders = keys.map((key) => {
    const snapshots = listSnapshots(join(directory, key));
    const isInUse = snapshots.some(({ id }) => living.has(id)) || existsSync(join(directory, key, lockName));
    return {
      key,
      bytes: bytesIn(join(directory, key)),
      lastUse: isInUse ? Infinity : (snapshots.at(-1)?.time ?? 0),
    };
  });
  const idle = folders.filter(({ lastUse }) => lastUse !== Infinity);
  const busyBytes = folders
    .filter((folder) => !idle.includes(folder))
    .reduce((sum, { bytes }) => sum + bytes, 0);
  for (const key of foldersToDrop(idle, maximumBytes - busyBytes, present.slice(directory.length + 1))) {
    for (const name of namesIn(join(directory, key))) {
      if (!noteName.test(name)) rmSync(join(directory, key, name), { recursive: true, force: true });
    }
  }
}

function bytesIn(store: string): number {
  return namesIn(store).reduce(
    (sum, name) => sum + (statSync(join(store, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
