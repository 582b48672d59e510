import { lstat, opendir, type FileHandle } from 'node:fs/promises';
import { codeOf, entryPath, openFolder, UnsafeFileError } from '../../host/safeFiles';
import { sessionFolder } from '../../sandbox/sessionPlan';

/** opencode's database, and its log of what it has not merged yet. */
export const databaseFiles = ['opencode.db', 'opencode.db-wal'] as const;

/** What was about to take the place of a damaged one, see `sessionKeeper/moveAside.ts`. */
const replacementFiles = ['opencode.db.repaired', 'opencode.db.restored'] as const;

/**
 * Opens the folder of opencode's database in a home, where the agent can write: no link is followed.
 * @param below names of folders in it, to open the last of them
 * @throws UnsafeFileError
 */
export async function openSessionFolder(home: string, below: readonly string[] = []): Promise<FileHandle> {
  let folder = await openFolder(home);
  for (const name of [...sessionFolder.split('/'), ...below]) {
    const parent = folder;
    try {
      folder = await openFolder(entryPath(parent, name));
    } finally {
      await parent.close();
    }
  }
  return folder;
}

/**
 * When a home's database was changed last, in milliseconds since the epoch; undefined when it is not there. By the time
 * of the inode, which an agent can't set.
 */
export async function databaseChangedTime(home: string): Promise<number | undefined> {
  const folder = await openSessionFolder(home).catch(() => undefined);
  if (folder === undefined) return undefined;
  try {
    const found = await Promise.all(
      databaseFiles.map((name) => lstat(entryPath(folder, name)).catch(() => undefined)),
    );
    const times = found.flatMap((stats) => (stats ? [stats.ctimeMs] : []));
    return times.length === 0 ? undefined : Math.max(...times);
  } finally {
    await folder.close();
  }
}

/** Whether there are sessions of opencode 1.1 or older in a home: files of JSON, in a folder for each project. */
export async function hasOlderSessions(home: string): Promise<boolean> {
  const folder = await openSessionFolder(home, ['storage', 'session']).catch(() => undefined);
  if (folder === undefined) return false;
  try {
    for await (const _project of await opendir(`/proc/self/fd/${folder.fd}`)) return true;
    return false;
  } finally {
    await folder.close();
  }
}

/**
 * Whether there is anything in a home that could be a database of opencode's, or one that was about to become it, or
 * something that keeps us from looking. Nothing is opened but folders.
 */
export async function hasDatabase(home: string): Promise<boolean> {
  let folder: FileHandle | undefined;
  try {
    folder = await openSessionFolder(home);
    for (const name of [...databaseFiles, ...replacementFiles])
      if (await isThere(entryPath(folder, name))) return true;
    return false;
  } catch (error) {
    return !(error instanceof UnsafeFileError && error.reason === 'missing');
  } finally {
    await folder?.close();
  }
}

/** Also when it can't be told. */
async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT',
  );
}
