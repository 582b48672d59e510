import { closeSync, copyFileSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeAside, makeWay, move, statOf } from './ownFolder';

const name = 'opencode.db';

/** What opencode has beside its database. */
const companions = ['-wal', '-shm', '-journal'].map((suffix) => name + suffix);

/** opencode's database with all that is beside it. */
export const databaseNames: readonly string[] = [name, ...companions];

/** What may take the place of a database, beside it until then. */
const replacements = ['.repaired', '.restored'].map((suffix) => name + suffix);

/**
 * Moves the database with all that belongs to it out of the way. Nothing of it is removed. Whoever is killed meanwhile
 * leaves the old database with its log, or none: SQLite takes one without its log for an older one that is in order, and
 * another one's log for its own. A replacement that is left beside none is for {@link finishReplacement}.
 * @param aside name of the folder for it
 * @param replacement name of what takes its place at last, if anything; complete, and on the disk
 */
export function moveAside(folder: string, aside: string, replacement?: string): void {
  const target = makeAside(folder, aside);
  // what somebody who was killed left is not what was chosen now, and may be half of something
  for (const left of replacements) if (left !== replacement) makeWay(folder, left, aside);
  const present = companions.filter((file) => statOf(join(folder, file)) !== undefined);
  // the agent could have put something else there, which needs no second name
  for (const file of present.filter((companion) => statOf(join(folder, companion))?.isFile() === true))
    nameAlso(join(folder, file), join(target, file));
  if (statOf(join(folder, name))) move(join(folder, name), join(target, name));
  for (const file of present) {
    move(join(folder, file), join(target, file));
    // rename(2) does nothing to two names of one file
    rmSync(join(folder, file), { force: true });
  }
  if (replacement !== undefined) renameSync(join(folder, replacement), join(folder, name));
}

/** Gives a file a second name, or makes a copy where there are no such names. A log may say that it is a terabyte. */
function nameAlso(path: string, target: string): void {
  try {
    linkSync(path, target);
  } catch {
    copyFileSync(path, target);
    syncFile(target);
  }
}

/** Whether {@link moveAside} was not finished, and there is something to finish it with. */
export function isUnfinished(folder: string): boolean {
  return statOf(join(folder, name)) === undefined && replacementIn(folder) !== undefined;
}

/**
 * Finishes what {@link isUnfinished}. What is left of the old database here is also where that was moved.
 * @param aside name of a folder for what the agent has put here instead
 */
export function finishReplacement(folder: string, aside: string): void {
  const replacement = replacementIn(folder);
  if (replacement === undefined) return;
  for (const companion of companions) makeWay(folder, companion, aside);
  renameSync(join(folder, replacement), join(folder, name));
}

function replacementIn(folder: string): string | undefined {
  return replacements.find((left) => statOf(join(folder, left))?.isFile() === true);
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
