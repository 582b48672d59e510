import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { codeOf, entryPath, openFolder, UnsafeFileError } from './safeFiles';

/**
 * Removes a folder of ours with all that is in it. Links are removed, never followed; folders without permissions
 * (unpacked images have them) are opened up; what is mounted below is not entered. Missing is fine,
 * and so is somebody else who removes it at the same time.
 * @throws the errors of rmdir(2) when something stayed, UnsafeFileError when `path` is no folder of ours
 */
export async function removeTree(path: string): Promise<void> {
  const folder = await openFolder(path, { ours: true }).catch(ignoreMissingFolder);
  if (folder === undefined) return;
  try {
    await empty(folder, (await folder.stat({ bigint: true })).dev);
  } finally {
    await folder.close();
  }
  await rmdir(path).catch(ignoreMissing);
}

async function empty(place: FileHandle, device: bigint): Promise<void> {
  const pinned = `/proc/self/fd/${place.fd}`;
  if ((await place.stat({ bigint: true })).dev !== device) return;
  await chmod(pinned, 0o700);
  const folder = await open(pinned, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    // ENOENT: somebody else has just removed the folder itself
    for (const name of (await readdir(`/proc/self/fd/${folder.fd}`).catch(ignoreMissing)) ?? []) {
      await removeEntry(entryPath(folder, name), device);
    }
  } finally {
    await folder.close();
  }
}

async function removeEntry(entry: string, device: bigint): Promise<void> {
  const stats = await lstat(entry).catch(ignoreMissing);
  if (stats === undefined) return;
  if (!stats.isDirectory()) {
    await unlink(entry).catch(ignoreMissing);
    return;
  }
  const folder = await openFolder(entry).catch(ignoreMissingFolder);
  if (folder === undefined) return;
  try {
    await empty(folder, device);
  } finally {
    await folder.close();
  }
  await rmdir(entry).catch(ignoreMissing);
}

function ignoreMissingFolder(error: unknown): undefined {
  if (!(error instanceof UnsafeFileError && error.reason === 'missing')) throw error;
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
