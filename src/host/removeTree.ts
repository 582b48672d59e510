import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { randomHex } from './random';
import { codeOf, entryPath, openFolder, UnsafeFileError } from './safeFiles';

/** Folders deeper than this are moved up before they are emptied, because two descriptors are open for each. */
const deepest = 32;

interface Removal {
  readonly device: bigint;
  readonly top: FileHandle;
  /** there is more in the topmost folder than when its names were read */
  hasMoved: boolean;
}

/**
 * Removes a folder of ours with all that is in it, however deep. Links are removed, never followed; folders without
 * permissions (unpacked images have them) are opened up; what is mounted below is not entered. Missing is fine,
 * and so is somebody else who removes it at the same time.
 * @throws the errors of rmdir(2) when something stayed, UnsafeFileError when `path` is no folder of ours
 */
export async function removeTree(path: string): Promise<void> {
  const folder = await openFolder(path, { ours: true }).catch(ignoreMissingFolder);
  if (folder === undefined) return;
  try {
    const { dev } = await folder.stat({ bigint: true });
    const removal: Removal = { device: dev, top: folder, hasMoved: true };
    while (removal.hasMoved) {
      removal.hasMoved = false;
      await empty(folder, 0, removal);
    }
  } finally {
    await folder.close();
  }
  await rmdir(path).catch(ignoreMissing);
}

async function empty(place: FileHandle, depth: number, removal: Removal): Promise<void> {
  const pinned = `/proc/self/fd/${place.fd}`;
  if ((await place.stat({ bigint: true })).dev !== removal.device) return;
  await chmod(pinned, 0o700);
  const folder = await open(pinned, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    // ENOENT: somebody else has just removed the folder itself
    for (const name of (await readdir(`/proc/self/fd/${folder.fd}`).catch(ignoreMissing)) ?? []) {
      await removeEntry(entryPath(folder, name), depth, removal);
    }
  } finally {
    await folder.close();
  }
}

async function removeEntry(entry: string, depth: number, removal: Removal): Promise<void> {
  const stats = await lstat(entry).catch(ignoreMissing);
  if (stats === undefined) return;
  if (!stats.isDirectory()) {
    await unlink(entry).catch(ignoreMissing);
    return;
  }
  const folder = await openFolder(entry).catch(ignoreMissingFolder);
  if (folder === undefined) return;
  try {
    if (depth >= deepest) {
      await moveUp(entry, folder, removal);
      return;
    }
    await empty(folder, depth + 1, removal);
  } finally {
    await folder.close();
  }
  await rmdir(entry).catch(ignoreMissing);
}

async function moveUp(entry: string, folder: FileHandle, removal: Removal): Promise<void> {
  if ((await folder.stat({ bigint: true })).dev !== removal.device) return;
  // its `..` is written
  await chmod(`/proc/self/fd/${folder.fd}`, 0o700);
  await rename(entry, entryPath(removal.top, randomHex(8))).catch(ignoreMissing);
  removal.hasMoved = true;
}

function ignoreMissingFolder(error: unknown): undefined {
  if (!(error instanceof UnsafeFileError && error.reason === 'missing')) throw error;
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
