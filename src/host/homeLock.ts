import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { homeUser, isGone, maximumHomeFileBytes, type HomeUser } from './homeFolder';
import { removeLeftLock, writeMilliseconds } from './leftLock';
import { readJson } from './ownFiles';
import { createFile } from './safeFiles';

const pollMilliseconds = 50;

/** The file of the lock, for people who have to remove it by hand. */
export function homeLockPath(folder: string): string {
  return join(folder, 'lock.json');
}

/** A lock that somebody has. */
export const heldLock = v.object({
  /** that of the home, see `homeFolder.ts` */
  folder: v.string(),
  holder: homeUser,
});
export type HeldLock = v.InferOutput<typeof heldLock>;

/** What is in the file of a lock. */
export function homeLockContent(holder: HomeUser): string {
  return JSON.stringify(holder);
}

/** @returns who alone may use a home now, if anybody; one that is gone for certain does not count */
export async function readHomeLock(folder: string): Promise<HomeUser | undefined> {
  const holder = await readHolder(homeLockPath(folder));
  return holder && !(await isGone(holder)) ? holder : undefined;
}

/**
 * Takes the lock on a home: a file that is created or not, by one of all computers (O_EXCL of open(2), which NFS
 * supports since version 3). A lock whose holder is gone for certain is taken over.
 * @param folder that of the home, see `homeFolder.ts`
 * @returns undefined when it was taken, else who has it
 */
export async function takeHomeLock(folder: string, own: HomeUser): Promise<HomeUser | undefined> {
  const path = homeLockPath(folder);
  const deadline = performance.now() + writeMilliseconds;
  for (;;) {
    if (await createFile(path, homeLockContent(own))) return undefined;
    const holder = await readHolder(path);
    if (holder && !(await isGone(holder))) return holder;
    await removeLeftLock(path, holder, () => readHolder(path));
    if (performance.now() > deadline) return holder ?? own;
    await delay(pollMilliseconds);
  }
}

/** Gives the lock back, if it is ours. */
export async function releaseHomeLock(folder: string, own: HomeUser): Promise<void> {
  const path = homeLockPath(folder);
  const holder = await readHolder(path);
  if (JSON.stringify(holder) === JSON.stringify(own)) await rm(path, { force: true });
}

function readHolder(path: string): Promise<HomeUser | undefined> {
  return readJson(path, homeUser, maximumHomeFileBytes);
}
