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
  /** the files that the session changed, at most {@link mostFiles} */
  readonly files: readonly ChangedFileLine[];
  readonly fileCount: number;
  readonly additions: number;
  readonly deletions: number;
}

export interface ChangedFileLine {
  readonly file: string;
  readonly additions: number;
  readonly deletions: number;
}

const mostFiles = 100;
const mostDiffs = 5000;

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
  // without git opencode makes no snapshots, and so tells of no changes (measured with 1.18)
  const edits = hasParts
    ? database.prepare(
        `SELECT substr(json_extract(data,'$.state.input.filePath'),1,1000) AS file,
           json_extract(data,'$.state.metadata.filediff.additions') AS additions,
           json_extract(data,'$.state.metadata.filediff.deletions') AS deletions
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
      ...sumFiles(changes, directory),
    };
  };
}

/** A file may come several times: opencode tells of each turn what it changed. */
function sumFiles(
  rows: readonly Record<string, unknown>[],
  directory: string,
): Pick<SumsLine, 'files' | 'fileCount' | 'additions' | 'deletions'> {
  const byFile = new Map<string, { additions: number; deletions: number }>();
  for (const row of rows) {
    const named = text(row['file'], 1000);
    const file = named.startsWith(`${directory}/`) ? named.slice(directory.length + 1) : named;
    if (file === '') continue;
    const known = byFile.get(file) ?? { additions: 0, deletions: 0 };
    known.additions += number(row['additions']);
    known.deletions += number(row['deletions']);
    byFile.set(file, known);
  }
  const files = [...byFile].map(([file, changes]) => ({ file, ...changes }));
  return {
    files: files.slice(0, mostFiles),
    fileCount: files.length,
    additions: files.reduce((sum, { additions }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
  };
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
