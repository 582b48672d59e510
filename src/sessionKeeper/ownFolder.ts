import { chmodSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where damaged databases go, in opencode's own folder. */
const asideFolder = 'damaged';

/** What opencode's folder lies in, within the home: `.local` and `share`. */
const foldersAbove = 2;

/** What is at a path, no link followed; undefined when nothing is. */
export function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/**
 * Gives the owner back what the agent may have taken away from opencode's folder, those above it in the home, and
 * opencode's files: else nobody can look at them, opencode neither.
 * @param files names of them
 * @returns false when something else than folders is in the place of one of them
 */
export function openUp(folder: string, files: readonly string[]): boolean {
  const above = [folder];
  for (let level = 0; level < foldersAbove; level += 1) above.unshift(dirname(above[0] ?? folder));
  for (const path of above) {
    const stats = statOf(path);
    if (stats === undefined) return true;
    if (!stats.isDirectory()) return false;
    allow(path, stats, 0o700);
  }
  for (const path of files.map((name) => join(folder, name))) {
    const stats = statOf(path);
    if (stats?.isFile() === true) allow(path, stats, 0o600);
  }
  return true;
}

function allow(path: string, { mode }: Stats, owner: number): void {
  if ((mode & owner) !== owner) chmodSync(path, (mode & 0o777) | owner);
}

/** Moves whatever is there, a closed folder too: its `..` is written then. */
export function move(path: string, target: string): void {
  const stats = statOf(path);
  if (stats?.isDirectory() === true) allow(path, stats, 0o700);
  renameSync(path, target);
}

/** The agent could have put a link in the place of the folder, to have something else moved. @throws Error */
export function requireOwnFolder(folder: string): void {
  if (realpathSync(folder) !== folder) throw new Error('the folder of the database is a link');
}

/**
 * Makes the folder for a damaged database. What the agent has put in the place of the one in which it lies is renamed.
 * @param aside its name @returns its path
 */
export function makeAside(folder: string, aside: string): string {
  const parent = join(folder, asideFolder);
  const stats = statOf(parent);
  if (stats?.isDirectory() === true) allow(parent, stats, 0o700);
  else if (stats) move(parent, `${parent}.${aside}`);
  const target = join(parent, aside);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  return target;
}

/**
 * Makes a place free for a file of ours. A folder there is moved aside, because to remove one takes as long as the agent
 * wants.
 * @param aside name of the folder into which it goes then
 */
export function makeWay(folder: string, name: string, aside: string): void {
  const path = join(folder, name);
  if (statOf(path)?.isDirectory() === true) move(path, join(makeAside(folder, aside), name));
  else rmSync(path, { force: true });
}
