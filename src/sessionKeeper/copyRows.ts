import type { Database, Statement } from 'bun:sqlite';

/** How much of a table could be copied. */
export interface CopiedRows {
  readonly rows: number;
  /** so many times rows in between could not be read */
  readonly gaps: number;
}

type Row = Record<string, unknown>;
type Value = string | number | bigint | Uint8Array | null;

const pageSize = 200;
/** A table with more holes than this is not worth the hours. */
const mostGaps = 2000;
/** SQLite's rowids have 63 bits; opencode's tables count from 1. */
const largestStep = 2 ** 45;

/** Copies all rows of a table that can be read, past those that can't. */
export function copyRows(source: Database, fresh: Database, table: string): CopiedRows {
  const columns = source
    .prepare(`SELECT name FROM pragma_table_xinfo(${text(table)}) WHERE hidden=0 LIMIT 1000`)
    .all()
    .map(({ name }) => String(name));
  const names = columns.map(quote).join();
  const insert = fresh.prepare(
    `INSERT OR IGNORE INTO ${quote(table)}(${names}) VALUES(${columns.map(() => '?').join()})`,
  );
  let rows = 0;
  const take = (row: Row): void => {
    try {
      rows += insert.run(...columns.map((name) => row[name] as Value)).changes;
    } catch {
      // it breaks a rule of its table
    }
  };
  fresh.exec('BEGIN');
  const gaps = walk(source, table, names, take);
  fresh.exec('COMMIT');
  return { rows, gaps };
}

/** @returns how many gaps there were */
function walk(source: Database, table: string, names: string, take: (row: Row) => void): number {
  const select = (limit: number): Statement =>
    // not by an index: the table itself may be whole when an index is not
    source.prepare(
      `SELECT rowid AS ours_rowid, ${names} FROM ${quote(table)} NOT INDEXED WHERE rowid>? ORDER BY rowid LIMIT ${limit}`,
    );
  let page: Statement;
  let one: Statement;
  try {
    page = select(pageSize);
    one = select(1);
  } catch {
    return walkWithoutRowid(source, table, names, take);
  }
  let gaps = 0;
  let last = firstRowid(source, table);
  for (;;) {
    const found = read(page, last) ?? read(one, last);
    if (found === undefined) {
      gaps += 1;
      const next = gaps < mostGaps ? pastGap(one, last) : undefined;
      if (next === undefined) return gaps;
      last = next;
      continue;
    }
    const before = last;
    for (const row of found) {
      take(row);
      last = Math.max(last, Number(row['ours_rowid']));
    }
    // none, or numbers beyond 2^53, of which the next can't be told
    if (last === before) return gaps;
  }
}

/** opencode's rowids begin at 1; a file that was made by hand may go below. */
function firstRowid(source: Database, table: string): number {
  try {
    const row = source.prepare(`SELECT min(rowid) AS least FROM ${quote(table)} NOT INDEXED`).get();
    return Math.min(0, Number(row?.['least'] ?? 0) - 1);
  } catch {
    return 0;
  }
}

/** @returns undefined when it can't be read */
function read(statement: Statement, after: number): Row[] | undefined {
  try {
    return statement.all(after);
  } catch {
    return undefined;
  }
}

/** @returns the smallest number found after which rows can be read again; undefined when there is none */
function pastGap(one: Statement, last: number): number | undefined {
  let step = 1;
  while (step < largestStep && read(one, last + step) === undefined) step *= 2;
  if (step >= largestStep) return undefined;
  // it was unreadable at half of that
  let bad = Math.floor(step / 2);
  let good = step;
  while (good - bad > 1) {
    const middle = Math.floor((bad + good) / 2);
    if (read(one, last + middle) === undefined) bad = middle;
    else good = middle;
  }
  return last + good;
}

function walkWithoutRowid(source: Database, table: string, names: string, take: (row: Row) => void): number {
  try {
    for (let offset = 0; ; offset += pageSize) {
      const found = source
        .prepare(`SELECT ${names} FROM ${quote(table)} LIMIT ${pageSize} OFFSET ${offset}`)
        .all();
      found.forEach(take);
      if (found.length === 0) return 0;
    }
  } catch {
    return 1;
  }
}

/** A name for SQL. */
function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
