import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { keepBackup, nameOfBackup, pruneBackups } from '../host/homeBackups';
import { makeOwnedFolder, sweepLeft } from '../host/ownedFolder';
import { removeTree } from '../host/removeTree';
import { measureTree } from '../host/treeSize';
import { Cancelled } from '../sandbox/userError';
import type { KeptHome } from './homeUsers';
import { withKeeper, type HomeOpeningOptions } from './keeperSandbox';

/** What a copy may be larger than the database with its log: pages that SQLite adds for itself. */
const slackBytes = 16 * 2 ** 20;
const pollMilliseconds = 200;

/**
 * Makes a backup of opencode's database. The keeper writes it into a folder of its own, from where it is taken when it
 * is whole: whatever a hostile database can do to the keeper, the other backups are not in its reach.
 * @param bytes of the database with its log
 * @param version of the opencode that had used the home until then
 * @returns false when there is none; the log says why
 * @throws Cancelled
 */
export async function makeBackup(
  specification: KeptHome,
  { bytes, version }: { readonly bytes: number; readonly version: string },
  options: HomeOpeningOptions,
): Promise<boolean> {
  const { homeFolder } = specification;
  let folder: string | undefined;
  try {
    await sweepLeft(homeFolder);
    if (!(await hasRoom(homeFolder, bytes))) throw new Error('there is no room for a backup');
    folder = await makeOwnedFolder(homeFolder, 'backup');
    const name = nameOfBackup(Date.now(), version);
    const place = { path: folder, mayWrite: true };
    await withKeeper(specification, options, place, (keeper) =>
      whileSmall(place.path, bytes + slackBytes, keeper.backUp(name)),
    );
    await keepBackup(homeFolder, join(folder, name));
    await pruneBackups(homeFolder);
    return true;
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    options.onLog(inspect(error));
    return false;
  } finally {
    if (folder !== undefined) await removeTree(folder);
  }
}

/** A disk with a quota says so only when it is written. */
async function hasRoom(folder: string, bytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize > 2 * bytes;
}

/**
 * Waits for work that writes into a folder, as long as what is there is small: the script that reads a hostile database
 * must not be able to fill the user's own disk.
 * @throws Error when it is not, and what `work` throws
 */
async function whileSmall(folder: string, limit: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const tooLarge = new Promise<never>((_, reject) => {
    const look = async (): Promise<void> => {
      const { bytes, isCut } = await measureTree(folder, { bytes: limit, entries: 100, depth: 2 });
      if (isCut || bytes > limit) reject(new Error('the backup is larger than the database'));
      else if (!isOver) timer = setTimeout(() => void look(), pollMilliseconds);
    };
    timer = setTimeout(() => void look(), pollMilliseconds);
  });
  try {
    await Promise.race([work, tooLarge]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    // whoever ends the keeper ends the work, too
    work.catch(() => undefined);
    tooLarge.catch(() => undefined);
  }
}
