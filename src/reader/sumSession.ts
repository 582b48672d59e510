import type { Database, Statement } from 'bun:sqlite';
import { number, text } from './values';

/** What the messages of a session add up to. */
export interface SumsLine {
  readonly id: string;
  readonly messages: number;
  /** the last answer was neither finished nor given up: it is being written, or was interrupted */
  readonly isOpen: boolean;
  /** when the last message was begun, milliseconds since the epoch */
  readonly lastMessage: number;
  /** tokens of the last answer, which opencode's terminal shows as its context; 0 while there is none */
  readonly context: number;
  /** the files that the session changed, at most {@link mostFiles} */
  readonly files: readonly ChangedFileLine[];
  readonly fileCount: number;
  /** lines; null when they are not known of each file */
  readonly additions: number | null;
  readonly deletions: number | null;
}

export interface ChangedFileLine {
  readonly file: string;
  /** lines; null when opencode did not note what was there before it wrote the file anew */
  readonly additions: number | null;
  readonly deletions: number | null;
}

const mostFiles = 100;
const mostDiffs = 5000;

/** As opencode's terminal adds them up (`findLast` of an answer with output, in its side bar). */
const tokenKinds = ['input', 'output', 'reasoning', 'cache.read', 'cache.write'];

/** A tool notes whether the file was there; of one that it makes it tells no difference (measured with 1.18). */
const isNew = "json_extract(data,'$.state.metadata.exists')=0";
const content = "json_extract(data,'$.state.input.content')";
const linesOfNew = `CASE WHEN ${isNew} AND length(${content})<1000000 THEN
  length(${content})-length(replace(${content},char(10),''))+(${content} NOT LIKE '%'||char(10) AND ${content}<>'') END`;

/** A session to be summed. */
export interface ToSum {
  readonly id: string;
  readonly directory: string;
  /** looks through what the agent's tools did, which is most of the database, where opencode told of no changes */
  readonly isThorough: boolean;
}

/**
 * @param hasParts whether the database tells what the agent's tools did
 * @returns a function that sums one session; what can't be read of it counts as nothing
 */
export function makeSummer(database: Database, hasParts: boolean): (session: ToSum) => SumsLine {
  const count = database.prepare('SELECT count(*) AS messages FROM main.message WHERE session_id=?');
  const last = database.prepare(
    `SELECT time_created AS begun, json_extract(data,'$.role') AS role,
       json_extract(data,'$.time.completed') AS completed, json_type(data,'$.error') AS error
     FROM main.message WHERE session_id=? ORDER BY time_created DESC, id DESC LIMIT 1`,
  );
  const diffs = database.prepare(
    `SELECT substr(json_extract(d.value,'$.file'),1,1000) AS file, json_extract(d.value,'$.additions') AS additions,
       json_extract(d.value,'$.deletions') AS deletions
     FROM main.message m, json_each(m.data,'$.summary.diffs') d WHERE m.session_id=? LIMIT ${mostDiffs}`,
  );
  const context = database.prepare(
    `SELECT ${tokenKinds.map((kind) => `coalesce(json_extract(data,'$.tokens.${kind}'),0)`).join('+')} AS tokens
     FROM main.message WHERE session_id=? AND json_valid(data) AND json_extract(data,'$.role')='assistant'
       AND json_extract(data,'$.tokens.output')>0 ORDER BY time_created DESC, id DESC LIMIT 1`,
  );
  // without git opencode makes no snapshots, and so tells of no changes (measured with 1.18)
  const edits = hasParts
    ? database.prepare(
        `SELECT substr(json_extract(data,'$.state.input.filePath'),1,1000) AS file,
           coalesce(json_extract(data,'$.state.metadata.filediff.additions'),${linesOfNew}) AS additions,
           coalesce(json_extract(data,'$.state.metadata.filediff.deletions'),
             CASE WHEN ${isNew} THEN 0 END) AS deletions
         FROM main.part WHERE session_id=? AND json_valid(data) AND json_extract(data,'$.type')='tool'
           AND json_extract(data,'$.tool') IN ('write','edit','multiedit')
           AND json_extract(data,'$.state.status')='completed' LIMIT ${mostDiffs}`,
      )
    : undefined;
  return ({ id, directory, isThorough }) => {
    const end = tryRow(last, id);
    const told = tryRows(diffs, id);
    const changes = told.length === 0 && isThorough && edits ? tryRows(edits, id) : told;
    return {
      id,
      messages: number(tryRow(count, id)?.['messages']),
      isOpen: end?.['role'] === 'assistant' && end['completed'] === null && (end['error'] ?? null) === null,
      lastMessage: number(end?.['begun']),
      context: number(tryRow(context, id)?.['tokens']),
      ...sumFiles(changes, directory),
    };
  };
}

/** A file may come several times: opencode tells of each turn what it changed. */
function sumFiles(
  rows: readonly Record<string, unknown>[],
  directory: string,
): Pick<SumsLine, 'files' | 'fileCount' | 'additions' | 'deletions'> {
  const byFile = new Map<string, Omit<ChangedFileLine, 'file'>>();
  for (const row of rows) {
    const named = text(row['file'], 1000);
    const file = named.startsWith(`${directory}/`) ? named.slice(directory.length + 1) : named;
    if (file === '') continue;
    const known = byFile.get(file);
    byFile.set(file, {
      additions: sum(known?.additions, row['additions']),
      deletions: sum(known?.deletions, row['deletions']),
    });
  }
  const files = [...byFile].map(([file, changes]) => ({ file, ...changes }));
  return {
    files: files.slice(0, mostFiles),
    fileCount: files.length,
    additions: files.reduce<number | null>((all, { additions }) => sum(all, additions), 0),
    deletions: files.reduce<number | null>((all, { deletions }) => sum(all, deletions), 0),
  };
}

/** @returns null when one is not known */
function sum(before: number | null = 0, lines: unknown): number | null {
  return before === null || lines === null ? null : before + number(lines);
}

/** A message whose JSON is broken must not hide the others. */
function tryRows(statement: Statement, id: string): Record<string, unknown>[] {
  try {
    return statement.all(id);
  } catch {
    return [];
  }
}

function tryRow(statement: Statement, id: string): Record<string, unknown> | undefined {
  return tryRows(statement, id)[0];
}
