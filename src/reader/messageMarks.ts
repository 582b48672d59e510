import type { Database } from 'bun:sqlite';
import type { Schema } from './schema';

/**
 * What tells cheaply whether the messages of a session are others than before: a step of an agent ends with a change of
 * its message, and its length is read without the message itself (sqlite3 since 3.43).
 * @returns a function from the id of a session; undefined where it can't be told
 */
export function makeMarker(database: Database, { message }: Schema): (session: string) => string | undefined {
  if (!['data', 'time_created', 'time_updated'].every((name) => message.has(name))) return () => undefined;
  try {
    const marks = database.prepare(
      `SELECT count(*) AS messages, sum(octet_length(data)) AS octets, sum(time_updated-time_created) AS times
       FROM main.message WHERE session_id=?`,
    );
    return (session) => {
      try {
        return JSON.stringify(marks.values(session)[0]);
      } catch {
        return undefined;
      }
    };
  } catch {
    return () => undefined;
  }
}
