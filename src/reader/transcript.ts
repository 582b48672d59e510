import type { Database } from 'bun:sqlite';
import { number, text, time } from './values';

/** One part of a message, as far as a transcript shows it. */
export interface PartLine {
  readonly type: string;
  /** of `text` and `reasoning` */
  readonly text: string;
  /** written by opencode, not by the person */
  readonly isSynthetic: boolean;
  readonly tool: string;
  readonly status: string;
  readonly title: string;
  /** JSON */
  readonly input: string;
  readonly output: string;
  readonly error: string;
  readonly diff: string;
  readonly started: number | null;
  readonly ended: number | null;
  readonly filename: string;
}

export interface MessageLine {
  readonly id: string;
  readonly role: string;
  readonly created: number;
  readonly completed: number | null;
  readonly model: string;
  readonly cost: number;
  readonly error: string;
  readonly parts: readonly PartLine[];
}

export interface TranscriptOrder {
  readonly session: string;
  /** only messages before this one; empty: up to the last */
  readonly before: string;
  readonly limit: number;
}

const mostParts = 200;

/** Everything is cut in SQLite already: a part may hold hundreds of megabytes. */
const partColumns = [
  field('type', '$.type', 40),
  field('text', '$.text', 20_000),
  "json_extract(data,'$.synthetic') AS synthetic",
  field('tool', '$.tool', 100),
  field('status', '$.state.status', 20),
  field('title', '$.state.title', 300),
  field('input', '$.state.input', 4000),
  field('output', '$.state.output', 8000),
  field('error', '$.state.error', 2000),
  field('diff', '$.state.metadata.diff', 20_000),
  "json_extract(data,'$.state.time.start') AS started",
  "json_extract(data,'$.state.time.end') AS ended",
  field('filename', '$.filename', 300),
].join();

const messageColumns = [
  field('role', '$.role', 20),
  "json_extract(data,'$.time.completed') AS completed",
  field('provider', '$.providerID', 100),
  field('model', '$.modelID', 100),
  "json_extract(data,'$.cost') AS cost",
  field('error', '$.error', 2000),
].join();

function field(name: string, path: string, length: number): string {
  return `substr(json_extract(data,'${path}'),1,${length}) AS ${name}`;
}

/** @returns the last `limit` messages of a session, or those before another one, in their order */
export function readTranscript(
  database: Database,
  { session, before, limit }: TranscriptOrder,
): MessageLine[] {
  const rows = database
    .prepare(
      `SELECT substr(id,1,64) AS id, time_created AS created, ${messageColumns} FROM main.message
       WHERE session_id=?1 AND json_valid(data) AND (?2='' OR (time_created,id) <
         (SELECT time_created,id FROM main.message WHERE id=?2 AND session_id=?1))
       ORDER BY time_created DESC, id DESC LIMIT ?3`,
    )
    .all(session, before, limit);
  const parts = database.prepare(
    `SELECT ${partColumns} FROM main.part WHERE message_id=? AND json_valid(data) ORDER BY id LIMIT ${mostParts}`,
  );
  return rows.reverse().map((row) => messageLine(row, parts.all(text(row['id'], 64))));
}

function messageLine(row: Record<string, unknown>, parts: readonly Record<string, unknown>[]): MessageLine {
  const model = text(row['model'], 100);
  return {
    id: text(row['id'], 64),
    role: text(row['role'], 20),
    created: number(row['created']),
    completed: time(row['completed']),
    model: model === '' ? '' : `${text(row['provider'], 100)}/${model}`,
    cost: number(row['cost']),
    error: text(row['error'], 2000),
    parts: parts.map(partLine),
  };
}

function partLine(row: Record<string, unknown>): PartLine {
  return {
    type: text(row['type'], 40),
    text: text(row['text'], 20_000),
    isSynthetic: row['synthetic'] === 1,
    tool: text(row['tool'], 100),
    status: text(row['status'], 20),
    title: text(row['title'], 300),
    input: text(row['input'], 4000),
    output: text(row['output'], 8000),
    error: text(row['error'], 2000),
    diff: text(row['diff'], 20_000),
    started: time(row['started']),
    ended: time(row['ended']),
    filename: text(row['filename'], 300),
  };
}
