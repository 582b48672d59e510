import { constants } from 'node:fs';
import { lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { backupsOf } from './homeFolder';
import { removeTree } from './removeTree';
import { UnsafeFileError } from './safeFiles';

/** A backup of opencode's database. */
export interface HomeBackup {
  /** of the file */
  readonly name: string;
  /** milliseconds since the epoch */
  readonly time: number;
  /** of the opencode that had used the home until then; empty when it is not known */
  readonly version: string;
  readonly bytes: number;
}

/** So many are kept of each home. */
export const keptBackups = 3;

/** The time, then the version that used the home until then. */
const backupName = /^(\d{13})-([\w.+-]{0,40})\.db$/;

/** The name of a backup that is made now. @param version of opencode that used the home last; empty: not known */
export function nameOfBackup(now: number, version: string): string {
  return `${String(now).padStart(13, '0')}-${version}.db`;
}

/** The backups of a home, the latest first. @param folder that of the home in extension storage */
export async function readBackups(folder: string): Promise<HomeBackup[]> {
  const backups: HomeBackup[] = [];
  for (const name of await readdir(backupsOf(folder))) {
    const [, time, version = ''] = backupName.exec(name) ?? [];
    const stats = await lstat(join(backupsOf(folder), name)).catch(() => undefined);
    if (time !== undefined && stats?.isFile() === true) {
      backups.push({ name, time: Number(time), version, bytes: stats.size });
    }
  }
  return backups.sort((one, other) => other.time - one.time);
}

/**
 * Puts a backup that was made elsewhere beside the others, as far as it is an ordinary file.
 * @param folder that of the home in extension storage @param path of the backup, on the same file system
 * @throws UnsafeFileError
 */
export async function keepBackup(folder: string, path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new UnsafeFileError('notAFile', path);
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(path, join(backupsOf(folder), basename(path)));
}

/** What the backups of one home may take besides the last one, which is always kept. */
const keptBytes = 2 ** 31;

/** Removes all but the last {@link keptBackups}, those that are too large, and what is none. */
export async function pruneBackups(folder: string): Promise<void> {
  const kept = new Set<string>();
  let bytes = 0;
  for (const backup of (await readBackups(folder)).slice(0, keptBackups)) {
    bytes += backup.bytes;
    if (kept.size === 0 || bytes <= keptBytes) kept.add(backup.name);
  }
  for (const name of (await readdir(backupsOf(folder))).filter((one) => !kept.has(one))) {
    const path = join(backupsOf(folder), name);
    if ((await lstat(path)).isDirectory()) await removeTree(path);
    else await rm(path, { force: true });
  }
}
