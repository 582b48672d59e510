import type { Database } from 'bun:sqlite';

/** Which of opencode's tables a database has, and which columns of them. */
export interface Schema {
  /** sessions of opencode 1.2 and later; empty when there are none */
  readonly session: ReadonlySet<string>;
  /** sessions of opencode 2 */
  readonly sessionV2: ReadonlySet<string>;
  readonly message: ReadonlySet<string>;
  readonly part: ReadonlySet<string>;
}

/** Views, virtual tables and computed columns run what the file says, and opencode has none: they do not count. */
export function readSchema(database: Database): Schema {
  const tables = new Set(
    database
      .prepare("SELECT name FROM pragma_table_list WHERE schema='main' AND type='table' LIMIT 1000")
      .all()
      .map(({ name }) => name),
  );
  const columns = (table: string): ReadonlySet<string> =>
    new Set(
      tables.has(table)
        ? database
            .prepare(`SELECT name FROM pragma_table_xinfo('${table}') WHERE hidden=0 LIMIT 1000`)
            .all()
            .map(({ name }) => String(name))
        : [],
    );
  return {
    session: columns('session'),
    sessionV2: columns('session_v2'),
    message: columns('message'),
    part: columns('part'),
  };
}
