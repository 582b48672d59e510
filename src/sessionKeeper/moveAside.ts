import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const name = 'opencode.db';

/** Where damaged databases go, in opencode's own folder. */
const asideFolder = 'damaged';

/**
 * Moves the database with all that belongs to it out of the way. Nothing is removed.
 * @param aside name of the folder for it
 * @param replacement what takes its place at last, if anything
 */
export function moveAside(folder: string, aside: string, replacement?: string): void {
  const target = join(folder, asideFolder, aside);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  // the database last: while it is there, and damaged, that is noticed
  for (const suffix of ['-wal', '-shm', '-journal', '']) {
    if (lstatSync(join(folder, name + suffix), { throwIfNoEntry: false })) {
      renameSync(join(folder, name + suffix), join(target, name + suffix));
    }
  }
  if (replacement !== undefined) renameSync(replacement, join(folder, name));
}

/** Resolves when a file is on the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
