import {
  closeSync,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';

const name = 'opencode.db';

/** What opencode has beside its database. */
const companions = ['-wal', '-shm', '-journal'].map((suffix) => name + suffix);

/** What may take the place of a database, beside it until then. */
const replacements = ['.repaired', '.restored'].map((suffix) => name + suffix);

/** Where damaged databases go, in opencode's own folder. */
const asideFolder = 'damaged';

/**
 * Moves the database with all that belongs to it out of the way. Nothing is removed. Whoever is killed meanwhile leaves
 * the old database with its log, or none: SQLite takes one without its log for an older one that is in order, and
 * another one's log for its own. A replacement that is left beside none is for {@link finishReplacement}.
 * @param aside name of the folder for it
 * @param replacement what takes its place at last, if anything; complete, and on the disk
 */
export function moveAside(folder: string, aside: string, replacement?: string): void {
  const target = makeTarget(folder, aside);
  // what somebody who was killed left is not what was chosen now, and may be half of something
  for (const path of replacements.map((left) => join(folder, left)))
    if (path !== replacement) rmSync(path, { force: true });
  const present = companions.filter((file) => isThere(join(folder, file)));
  // the agent could have put something else there, of which no copy is needed
  for (const file of present.filter((companion) => lstatSync(join(folder, companion)).isFile())) {
    copyFileSync(join(folder, file), join(target, file));
    syncFile(join(target, file));
  }
  if (isThere(join(folder, name))) renameSync(join(folder, name), join(target, name));
  for (const file of present) renameSync(join(folder, file), join(target, file));
  if (replacement !== undefined) renameSync(replacement, join(folder, name));
}

/** Whether {@link moveAside} was not finished, and there is something to finish it with. */
export function isUnfinished(folder: string): boolean {
  return !isThere(join(folder, name)) && replacements.some((left) => isThere(join(folder, left)));
}

/** Finishes what {@link isUnfinished}. What is left of the old database here is also where that was moved. */
export function finishReplacement(folder: string): void {
  const replacement = replacements.find((left) => isThere(join(folder, left)));
  if (replacement === undefined) return;
  for (const companion of companions) rmSync(join(folder, companion), { force: true, recursive: true });
  renameSync(join(folder, replacement), join(folder, name));
}

/** @throws Error when the agent has put a link in its place, to have something written elsewhere */
function makeTarget(folder: string, aside: string): string {
  const parent = join(folder, asideFolder);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  if (!lstatSync(parent).isDirectory()) throw new Error('the folder for damaged databases is a link');
  const target = join(parent, aside);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  return target;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
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
