import { closeSync, constants, openSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { constants as system } from 'node:os';
import { randomBytes, randomHex } from './random';

/** What keeps a folder from taking more: its file system is full, or this user's share of it is used up. */
export type Shortage = 'disk' | 'quota';

/** O_PATH and __O_TMPFILE of <asm-generic/fcntl.h>, which Node does not export. */
const openPath = 0o10000000;
const nameless = 0o20000000;

/**
 * Looks whether a folder has room for so many bytes, by writing them: a quota shows nowhere else (statfs(2) knows
 * nothing of it). Nothing of what was written stays, and it need not reach the disk.
 *
 * @returns what is used up; undefined when there is room, and when nothing can be learnt, as in a folder that this
 *   user may not write to
 */
export function findShortage(folder: string, neededBytes: number): Shortage | undefined {
  try {
    if (isFull(folder, neededBytes)) {
      return 'disk';
    }
    tryToWrite(folder, neededBytes);
    return undefined;
  } catch (error) {
    return shortageIn(error);
  }
}

function isFull(folder: string, neededBytes: number): boolean {
  const { bavail, bsize, files, ffree } = statfsSync(folder, { bigint: true });
  // some file systems do not count their inodes and say 0 of 0
  return bavail * bsize < BigInt(neededBytes) || (files > 0n && ffree === 0n);
}

/** @throws what the kernel says when it can't be written */
function tryToWrite(folder: string, bytes: number): void {
  const { O_DIRECTORY, O_NOFOLLOW } = constants;
  // the agent may have put a link in its place
  const place = openSync(folder, openPath | O_DIRECTORY | O_NOFOLLOW);
  try {
    const file = openTemporary(`/proc/self/fd/${place}`);
    try {
      // file systems that compress would make nothing of zeros
      for (let written = 0; written < bytes;) {
        written += writeSync(file, randomBytes(Math.min(bytes - written, 2 ** 17)));
      }
    } finally {
      // NFS writes now, and may only now say that there is no room (close(2))
      closeSync(file);
    }
  } finally {
    closeSync(place);
  }
}

/** A file for writing that vanishes when it is closed. @throws what the kernel says when there can be none */
function openTemporary(folder: string): number {
  const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
  try {
    return openSync(folder, O_RDWR | O_DIRECTORY | nameless, 0o600);
  } catch (error) {
    if (shortageIn(error)) {
      throw error;
    }
  }
  // NFS, for one, has no files without a name
  const path = `${folder}/.sandboxed-agent-${randomHex(8)}`;
  const file = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    unlinkSync(path);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** By number: Node has no name for EDQUOT. */
function shortageIn(error: unknown): Shortage | undefined {
  const number = error instanceof Error && 'errno' in error ? error.errno : undefined;
  switch (number) {
    case -system.errno.ENOSPC:
      return 'disk';
    case -system.errno.EDQUOT:
      return 'quota';
    default:
      return undefined;
  }
}
