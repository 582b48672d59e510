/** What the reader and the keeper use of Bun's own SQLite; there are no other types of Bun in this project. */
declare module 'bun:sqlite' {
  export class Database {
    /** @param flags of sqlite3_open_v2() */
    constructor(path: string, flags: number);
    prepare(sql: string): Statement;
    exec(sql: string): void;
    close(): void;
  }
  export interface Statement {
    all(...values: readonly (string | number)[]): Record<string, unknown>[];
    /** each row as its columns in their order */
    values(...values: readonly (string | number)[]): unknown[][];
    run(...values: readonly (string | number | bigint | Uint8Array | null)[]): { readonly changes: number };
    get(...values: readonly (string | number)[]): Record<string, unknown> | null;
  }
}
