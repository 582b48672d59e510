import type { Database } from 'bun:sqlite';
import { ReadingProblem } from './openDatabase';
import type { Schema } from './schema';
import { number, sessionIdPattern, text, time } from './values';

/** One session as it is told to the host. Times in milliseconds since the epoch, cost in US dollars. */
export interface SessionLine {
  readonly id: string;
  readonly parent: string;
  readonly title: string;
  readonly directory: string;
  readonly agent: string;
  /** `provider/model`, empty when unknown */
  readonly model: string;
  readonly cost: number;
  /** of all answers, as `opencode stats` counts */
  readonly tokens: number;
  readonly created: number;
  readonly updated: number;
  readonly archived: number | null;
  readonly version: string;
}

const tokenColumns = ['input', 'output', 'reasoning', 'cache_read', 'cache_write'].map(
  (kind) => `tokens_${kind}`,
);

/** More than anybody has; the rest, the oldest, is left out. */
export const mostSessions = 20_000;

/** @returns the sessions that were used last, the latest first @throws ReadingProblem */
export function listSessions(database: Database, schema: Schema, limit: number): SessionLine[] {
  requireSessions(schema);
  // columns are cut out of the rows that are wanted alone
  const latest = 'SELECT id FROM main.session ORDER BY time_updated DESC LIMIT ?1';
  const rows = database
    .prepare(
      `SELECT ${lineColumns(schema.session)} FROM main.session WHERE id IN (${latest})
       ORDER BY time_updated DESC LIMIT ?1`,
    )
    .all(limit);
  return rows.map(sessionLine).filter(({ id }) => sessionIdPattern.test(id));
}

/** @param ids as {@link readMarks} tells them @returns those that are there, in no order @throws ReadingProblem */
export function readSessions(database: Database, schema: Schema, ids: readonly string[]): SessionLine[] {
  requireSessions(schema);
  const row = database.prepare(`SELECT ${lineColumns(schema.session)} FROM main.session WHERE id=? LIMIT 1`);
  return ids.flatMap((id) => row.all(id)).map(sessionLine);
}

/** What tells cheaply whether a session is another one than before. */
export type SessionMark = Pick<SessionLine, 'id' | 'title' | 'cost' | 'updated' | 'archived'>;

/**
 * A tenth of the time of a list. opencode renames and archives without a new `time_updated` (measured with 1.18); the
 * rest of a session changes together with its messages or with that time.
 * @returns undefined when there are more than {@link mostSessions} @throws ReadingProblem
 */
export function readMarks(database: Database, schema: Schema): SessionMark[] | undefined {
  requireSessions(schema);
  const plain = (name: string): string => column(schema.session, name, name);
  const columns = [
    ...['substr(id,1,64)', 'substr(title,1,300)'],
    ...['cost', 'time_updated', 'time_archived'].map(plain),
  ];
  const rows = database
    .prepare(`SELECT ${columns.join()} FROM main.session LIMIT ${mostSessions + 1}`)
    .values();
  if (rows.length > mostSessions) return undefined;
  return rows
    .map(([id, title, cost, updated, archived]) => ({
      id: text(id, 64),
      title: text(title, 300),
      cost: number(cost),
      updated: number(updated),
      archived: time(archived),
    }))
    .filter(({ id }) => sessionIdPattern.test(id));
}

function requireSessions({ session, sessionV2 }: Schema): void {
  if (!['id', 'title', 'directory', 'time_updated'].every((name) => session.has(name))) {
    // a database that opencode 2 has made itself has no table of version 1
    throw new ReadingProblem(sessionV2.has('id') ? 'newerLayout' : 'unknownSchema');
  }
}

function lineColumns(session: ReadonlySet<string>): string {
  const short = (name: string, length: number): string =>
    column(session, name, `substr(${name},1,${length})`);
  const plain = (name: string): string => column(session, name, name);
  const modelPart = (key: string): string =>
    column(
      session,
      'model',
      `CASE WHEN json_valid(model) THEN substr(json_extract(model,'$.${key}'),1,100) END`,
      `model_${key}`,
    );
  return [
    ...[short('id', 64), short('parent_id', 64), short('title', 300), short('directory', 4096)],
    ...[short('agent', 100), short('version', 40), modelPart('providerID'), modelPart('id')],
    ...['cost', ...tokenColumns].map(plain),
    ...['time_created', 'time_updated', 'time_archived'].map(plain),
  ].join();
}

function column(known: ReadonlySet<string>, name: string, expression: string, as = name): string {
  return `${known.has(name) ? expression : 'NULL'} AS ${as}`;
}

function sessionLine(row: Record<string, unknown>): SessionLine {
  const provider = text(row['model_providerID'], 100);
  const model = text(row['model_id'], 100);
  return {
    id: text(row['id'], 64),
    parent: text(row['parent_id'], 64),
    title: text(row['title'], 300),
    directory: text(row['directory'], 4096),
    agent: text(row['agent'], 100),
    model: provider !== '' && model !== '' ? `${provider}/${model}` : model,
    cost: number(row['cost']),
    tokens: tokenColumns.reduce((sum, name) => sum + number(row[name]), 0),
    created: number(row['time_created']),
    updated: number(row['time_updated']),
    archived: time(row['time_archived']),
    version: text(row['version'], 40),
  };
}
