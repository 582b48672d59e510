import type { Database } from 'bun:sqlite';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openFile, problemOf, ReadingProblem, sizeOf, type Problem } from '../reader/openDatabase';
import { syncFile } from './moveAside';

/** What became of a database: `unknown` when it can't be looked at, which opencode will have something to say to. */
export interface Inspection {
  readonly state: 'none' | 'good' | 'malformed' | 'unknown';
  readonly bytes: number;
}

/**
 * Opens opencode's database without writing to it, with all that is in its log.
 * @throws ReadingProblem for anything but ordinary files
 */
export function openToRead(folder: string): Database {
  const path = join(folder, 'opencode.db');
  if (sizeOf(path) === undefined) throw new ReadingProblem('none');
  sizeOf(`${path}-wal`);
  sizeOf(`${path}-shm`);
  // SQLite would open one, and wait for ever for what writes into a pipe
  sizeOf(`${path}-journal`);
  return openFile(path, false);
}

/** What the others mean may be over the next time. No ordinary file is one that opencode can't use either. */
const states: Readonly<Partial<Record<Problem, Inspection['state']>>> = {
  none: 'none',
  malformed: 'malformed',
  notAFile: 'malformed',
};

/** Whether a database is in order, as far as `quick_check` can tell (https://www.sqlite.org/pragma.html). */
export function inspect(folder: string): Inspection {
  let bytes = 0;
  try {
    const path = join(folder, 'opencode.db');
    bytes = (sizeOf(path) ?? 0) + (sizeOf(`${path}-wal`) ?? 0);
    if (bytes === 0) return { state: 'none', bytes };
    const database = openToRead(folder);
    try {
      const [row] = database.prepare('PRAGMA quick_check(1)').all();
      return { state: Object.values(row ?? {})[0] === 'ok' ? 'good' : 'malformed', bytes };
    } finally {
      database.close();
    }
  } catch (error) {
    return { state: states[problemOf(error)] ?? 'unknown', bytes };
  }
}

/** Writes a consistent copy, also while opencode writes. @param target path of the copy, which appears whole */
export function backUp(folder: string, target: string): void {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  const database = openToRead(folder);
  try {
    // SQLite takes the copy for a write; the database itself is open for reading alone
    database.exec('PRAGMA query_only=0');
    database.prepare('VACUUM INTO ?').run(part);
    chmodSync(part, 0o600);
    syncFile(part);
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    database.close();
  }
}
