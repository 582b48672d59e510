import { lstat, rm } from 'node:fs/promises';
import { createFile } from './safeFiles';

/** Whoever takes away what a dead process left needs three file operations. */
const guardMilliseconds = 60_000;

/**
 * A lock is made, then written: one that can't be read and is younger than this is somebody's. On a busy network file
 * system, too.
 */
export const writeMilliseconds = 10_000;

/**
 * Removes the file of a lock that a dead process left. One process at a time does so, as long as it has the file
 * `<path>.guard` (the reaper's shell keeps to that, too), and looks again before: nobody takes away a lock that was made
 * meanwhile.
 * @param left what was found there; undefined when it could not be read
 * @param read reads what is there now
 */
export async function removeLeftLock<Holder>(
  path: string,
  left: Holder | undefined,
  read: () => Promise<Holder | undefined>,
): Promise<void> {
  const guard = `${path}.guard`;
  if (!(await createFile(guard, ''))) {
    // a clock that was set back makes none younger
    if (Math.abs((await ageOf(guard)) ?? 0) > guardMilliseconds) await rm(guard, { force: true });
    return;
  }
  try {
    const present = await read();
    const isLeft = JSON.stringify(present) === JSON.stringify(left);
    const isSomebodys = present === undefined && (await isBeingWritten(path));
    if (isLeft && !isSomebodys) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

/** Whether a file that can't be read may still be written by whoever has just made it. */
export async function isBeingWritten(path: string): Promise<boolean> {
  const age = await ageOf(path);
  return age !== undefined && Math.abs(age) < writeMilliseconds;
}

/** @returns milliseconds since the last change; undefined when nothing is there. A link is not followed. */
export async function ageOf(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats && Date.now() - stats.mtimeMs;
}
