import { Database } from 'bun:sqlite';
import { constants, copyFileSync, type Dir, lstatSync, mkdtempSync, opendirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { number } from './values';

/** Why there is nothing to list. The host has a text for each. */
export type Problem =
  'none' | 'olderLayout' | 'newerLayout' | 'notAFile' | 'unreadable' | 'malformed' | 'busy' | 'unknownSchema';

export class ReadingProblem extends Error {
  constructor(readonly problem: Problem) {
    super(problem);
  }
}

/** What an error of SQLite or of the file system means. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ReadingProblem) return error.problem;
  const code = String((error as { readonly code?: unknown }).code);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (/^(SQLITE_(CANTOPEN|PERM|AUTH|IOERR|READONLY|FULL)|E[A-Z]+$)/.test(code)) return 'unreadable';
  return 'malformed';
}

/** A database that is open for reading, and how. */
export interface OpenDatabase {
  readonly database: Database;
  /** its log was too large to be copied: what opencode has not merged yet is missing */
  readonly isPartial: boolean;
  /** whether it is still what lies in the folder; if it is not, it has to be opened anew */
  isCurrent(): boolean;
  /** another number when somebody has written into it since */
  version(): number;
  /** another number when its tables are others since */
  schemaVersion(): number;
  close(): void;
}

/** SQLITE_OPEN_READONLY | SQLITE_OPEN_URI of sqlite3.h */
const openFlags = 0x1 | 0x40;

/** The private copy lies in the container's /tmp, which holds 64 MB (Apptainer's `sessiondir max size`). */
const largestCopy = 48 * 1024 * 1024;

/**
 * What SQLite may take, so that a row that claims to be huge fails, and not the computer; and no function or rule
 * that the file brings along is trusted (https://sqlite.org/security.html).
 */
const precautions = [
  'PRAGMA hard_heap_limit=402653184',
  'PRAGMA busy_timeout=1500',
  'PRAGMA query_only=1',
  'PRAGMA trusted_schema=0',
  'PRAGMA cell_size_check=1',
  'PRAGMA mmap_size=0',
];

/**
 * Opens opencode's database in a folder that is mounted read-only, with what opencode has written to its log and not
 * merged yet. Without the shared memory file `-shm` SQLite can't read a log in such a folder: then both are copied.
 * Links are not followed, and nothing but ordinary files is opened.
 * @throws ReadingProblem
 */
export function openDatabase(folder: string): OpenDatabase {
  const path = join(folder, 'opencode.db');
  const size = sizeOf(path);
  if (size === undefined) throw new ReadingProblem(olderSessions(folder).length > 0 ? 'olderLayout' : 'none');
  const logSize = sizeOf(`${path}-wal`);
  // SQLite would open one, and wait for ever for what writes into a pipe
  sizeOf(`${path}-journal`);
  if (size === 0 && (logSize ?? 0) === 0) throw new ReadingProblem('none');
  if (logSize === undefined || logSize === 0) return open(path, { isImmutable: true });
  if (sizeOf(`${path}-shm`) !== undefined) return open(path, { isShared: true });
  return size + logSize > largestCopy ? open(path, { isImmutable: true, isPartial: true }) : openCopy(path);
}

function openCopy(path: string): OpenDatabase {
  const before = filesAt(path, true);
  const folder = mkdtempSync('/tmp/sessions-');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'opencode.db');
    copyFileSync(path, copy, constants.COPYFILE_EXCL);
    copyFileSync(`${path}-wal`, `${copy}-wal`, constants.COPYFILE_EXCL);
    const opened = open(copy, {});
    return {
      ...opened,
      isCurrent: () => filesAt(path, true) === before,
      close: () => {
        opened.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

interface Opening {
  readonly isImmutable?: true;
  readonly isPartial?: true;
  /** with the memory that is shared with who writes, so that SQLite itself sees what is written */
  readonly isShared?: true;
}

function open(path: string, { isImmutable, isPartial, isShared }: Opening): OpenDatabase {
  const before = filesAt(path, !isShared);
  const database = openFile(path, isImmutable === true);
  try {
    const version = database.prepare('PRAGMA main.data_version');
    const schemaVersion = database.prepare('PRAGMA main.schema_version');
    return {
      database,
      isPartial: isPartial === true,
      isCurrent: () => filesAt(path, !isShared) === before,
      version: () => number(version.values()[0]?.[0]),
      schemaVersion: () => number(schemaVersion.values()[0]?.[0]),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Which files there are. @param withTimes and when they were written */
function filesAt(path: string, withTimes: boolean): string {
  const stats = ['', '-wal', '-shm'].map((end) =>
    lstatSync(`${path}${end}`, { bigint: true, throwIfNoEntry: false }),
  );
  return stats
    .map((file) =>
      file === undefined
        ? 'none'
        : [
            file.dev,
            file.ino,
            file.mode,
            ...(withTimes ? [file.size, file.mtimeNs, file.ctimeNs] : []),
          ].join(),
    )
    .join(' ');
}

/**
 * Opens a database for reading, whatever is in it.
 * @param isImmutable nobody writes: SQLite looks neither for a log nor for locks
 */
export function openFile(path: string, isImmutable: boolean): Database {
  const address = `file:${encodeURI(path)}?mode=ro${isImmutable ? '&immutable=1' : ''}`;
  const database = new Database(address, openFlags);
  try {
    precautions.forEach((pragma) => database.exec(pragma));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @returns bytes; undefined when nothing is there @throws ReadingProblem for what is no ordinary file */
export function sizeOf(path: string): number | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new ReadingProblem('notAFile');
  return stats.size;
}

/** More are not looked for. */
const mostOlder = 20_000;

/** Up to 1.1 opencode kept a file of JSON for each session, in a folder for each project. @returns their ids */
export function olderSessions(folder: string): string[] {
  const place = join(folder, 'storage', 'session');
  const found: string[] = [];
  for (const project of namesIn(place)) {
    for (const name of namesIn(join(place, project))) {
      const [, id] = /^(ses_[A-Za-z0-9]{10,40})\.json$/.exec(name) ?? [];
      if (id !== undefined) found.push(id);
      if (found.length >= mostOlder) return found;
    }
  }
  return found;
}

/** At most {@link mostOlder}; none of what is no folder. */
function namesIn(path: string): string[] {
  const names: string[] = [];
  let folder: Dir | undefined;
  try {
    if (lstatSync(path).isDirectory()) folder = opendirSync(path);
    for (let entry = folder?.readSync(); entry && names.length < mostOlder; entry = folder?.readSync()) {
      names.push(entry.name);
    }
  } catch {
    // as if it were empty
  } finally {
    folder?.closeSync();
  }
  return names;
}
