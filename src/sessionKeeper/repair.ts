import { Database } from 'bun:sqlite';
import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { openFile, sizeOf } from '../reader/openDatabase';
import { copyRows, type CopiedRows } from './copyRows';
import { openToRead } from './inspect';
import { moveAside, syncFile } from './moveAside';
import { makeWay } from './ownFolder';

/** What could be kept of a damaged database. */
export interface Repaired {
  readonly sessions: number;
  readonly messages: number;
  readonly parts: number;
  /** so many times something could not be read; what was there is not known */
  readonly gaps: number;
  /** what opencode had not merged into the database yet could not be read at all */
  readonly withoutLog: boolean;
}

/** SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE of sqlite3.h */
const createFlags = 0x2 | 0x4;

/**
 * Makes a new database of all rows that can still be read, and puts it in the place of the damaged one, which is moved
 * aside. SQLite's own `.recover` is not in Bun. What the new one must not have is left out: views, triggers and virtual
 * tables, which opencode has none of.
 * @throws Error when no table can be read; nothing was changed then
 */
export function repair(folder: string, aside: string): Repaired {
  const name = 'opencode.db.repaired';
  const target = join(folder, name);
  const copy = join(folder, 'opencode.db.damaged');
  makeWay(folder, name, aside);
  makeWay(folder, 'opencode.db.damaged', aside);
  const { source, withoutLog } = openDamaged(folder, copy);
  const fresh = new Database(target, createFlags);
  let copied: ReadonlyMap<string, CopiedRows>;
  try {
    // it counts only when it is complete
    fresh.exec('PRAGMA journal_mode=OFF');
    fresh.exec('PRAGMA synchronous=OFF');
    fresh.exec('PRAGMA foreign_keys=OFF');
    fresh.exec('PRAGMA trusted_schema=0');
    copied = copyAll(source, fresh);
    const [row] = fresh.prepare('PRAGMA quick_check(1)').all();
    if (copied.size === 0 || Object.values(row ?? {})[0] !== 'ok')
      throw new Error('nothing could be repaired');
  } catch (error) {
    fresh.close();
    rmSync(target, { force: true });
    throw error;
  } finally {
    source.close();
    rmSync(copy, { force: true });
  }
  fresh.close();
  syncFile(target);
  moveAside(folder, aside, name);
  const rows = (...tables: string[]): number =>
    tables.reduce((sum, table) => sum + (copied.get(table)?.rows ?? 0), 0);
  return {
    sessions: rows('session'),
    messages: rows('message'),
    parts: rows('part'),
    gaps: [...copied.values()].reduce((sum, { gaps }) => sum + gaps, 0),
    withoutLog,
  };
}

interface DamagedSource {
  readonly source: Database;
  readonly withoutLog: boolean;
}

/** With its log, if it can be read so, else without. @throws when there is no schema to read */
function openDamaged(folder: string, copy: string): DamagedSource {
  const failures: string[] = [];
  const ways: (() => DamagedSource)[] = [
    () => ({ source: openToRead(folder), withoutLog: false }),
    () => ({
      source: openPatchedCopy(folder, copy),
      withoutLog: (sizeOf(`${folder}/opencode.db-wal`) ?? 0) > 0,
    }),
  ];
  for (const way of ways) {
    let source: Database | undefined;
    try {
      const opened = way();
      source = opened.source;
      if (schemaOf(source).some(({ type }) => type === 'table')) return opened;
      failures.push('there are no tables');
    } catch (error) {
      // the other way may work
      failures.push(String(error));
    }
    source?.close();
  }
  rmSync(copy, { force: true });
  throw new Error(`the list of tables can’t be read: ${failures.join()}`);
}

/**
 * SQLite does not open a file that is shorter than its header says, nor one that needs a log it can't have. The copy
 * says that it is as long as it is, and that it has none (https://www.sqlite.org/fileformat2.html, 1.3).
 */
function openPatchedCopy(folder: string, copy: string): Database {
  const path = join(folder, 'opencode.db');
  const { bavail, bsize } = statfsSync(folder);
  // one of a terabyte may be nothing on the disk, and its copy all of it
  if ((sizeOf(path) ?? 0) > (bavail * bsize) / 2) throw new Error('there is no room for a copy');
  copyFileSync(path, copy);
  const file = openSync(copy, 'r+');
  try {
    const header = Buffer.alloc(100);
    readSync(file, header, 0, header.length, 0);
    const stored = header.readUInt16BE(16);
    const pageSize = stored === 1 ? 65_536 : stored;
    header.writeUInt8(1, 18);
    header.writeUInt8(1, 19);
    header.writeUInt32BE(Math.floor(fstatSync(file).size / pageSize), 28);
    // the number of pages counts when these two agree
    header.copy(header, 92, 24, 28);
    writeSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return openFile(copy, true);
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

function schemaOf(source: Database): SchemaRow[] {
  return source
    .prepare(
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table','index') AND sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' LIMIT 1000",
    )
    .all()
    .map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }));
}

function copyAll(source: Database, fresh: Database): Map<string, CopiedRows> {
  const schema = schemaOf(source);
  const copied = new Map<string, CopiedRows>();
  for (const { type, name, sql } of schema) {
    if (type !== 'table' || !/^CREATE TABLE\b/i.test(sql)) continue;
    try {
      fresh.prepare(sql).run();
    } catch {
      continue;
    }
    copied.set(name, copyRows(source, fresh, name));
  }
  for (const { type, sql } of schema) {
    if (type !== 'index') continue;
    try {
      fresh.prepare(sql).run();
    } catch {
      // slower without it; rows that break a unique one were left out before
    }
  }
  const [version] = source.prepare('PRAGMA user_version').all();
  fresh.exec(`PRAGMA user_version=${Number(Object.values(version ?? {})[0]) || 0}`);
  return copied;
}
