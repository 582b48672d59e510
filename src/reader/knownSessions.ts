import type { Database } from 'bun:sqlite';
import {
  listSessions,
  mostSessions,
  readMarks,
  readSessions,
  type SessionLine,
  type SessionMark,
} from './listSessions';
import type { Schema } from './schema';

/** What is different from what was known. */
export interface Changes {
  readonly changed: readonly SessionLine[];
  /** ids */
  readonly gone: readonly string[];
}

/** With more it is cheaper to list all; and a table without an index costs so many looks through it at most. */
const mostLookedUp = 200;

/** The sessions that the host knows. */
export class KnownSessions {
  private byId = new Map<string, SessionLine>();

  get size(): number {
    return this.byId.size;
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  /** Adds some. */
  learn(sessions: readonly SessionLine[]): void {
    sessions.forEach((session) => this.byId.set(session.id, session));
  }

  /** Those used last, at most so many, in no order. */
  latest(count: number): SessionLine[] {
    const since = this.timeOf(count);
    return [...this.byId.values()].filter(({ updated }) => updated >= since).slice(0, count);
  }

  /** Those of some sessions that are there, the latest first. */
  latestFirst(ids: Iterable<string>): SessionLine[] {
    return [...ids]
      .flatMap((id) => this.byId.get(id) ?? [])
      .sort((one, other) => other.updated - one.updated);
  }

  /** When the session was used last that so many were not used before. @param rank from 1 on */
  timeOf(rank: number): number {
    const times = Float64Array.from(this.byId.values(), ({ updated }) => updated).sort();
    return times[times.length - rank] ?? -Infinity;
  }

  /**
   * Reads what has changed, and no more of the other sessions than that they have not; then it is known.
   * @param touched those whose messages have changed
   * @throws ReadingProblem
   */
  update(database: Database, schema: Schema, touched: readonly string[]): Changes {
    const marks = this.size === 0 ? undefined : readMarks(database, schema);
    if (marks === undefined) return this.updateAll(database, schema);
    const ids = new Set(marks.map(({ id }) => id));
    const gone = [...this.byId.keys()].filter((id) => !ids.has(id));
    const others = marks.filter((mark) => !isMarked(this.byId.get(mark.id), mark)).map(({ id }) => id);
    const toRead = [...new Set([...others, ...touched.filter((id) => ids.has(id))])];
    if (toRead.length > mostLookedUp) return this.updateAll(database, schema);
    const changed = readSessions(database, schema, toRead).filter((line) => this.isOther(line));
    gone.forEach((id) => this.byId.delete(id));
    this.learn(changed);
    return { changed, gone };
  }

  private updateAll(database: Database, schema: Schema): Changes {
    const all = listSessions(database, schema, mostSessions);
    const changed = all.filter((line) => this.isOther(line));
    const before = this.byId;
    this.byId = new Map(all.map((line) => [line.id, line]));
    return { changed, gone: [...before.keys()].filter((id) => !this.byId.has(id)) };
  }

  private isOther(line: SessionLine): boolean {
    return JSON.stringify(this.byId.get(line.id)) !== JSON.stringify(line);
  }
}

function isMarked(line: SessionLine | undefined, mark: SessionMark): boolean {
  return (
    line?.title === mark.title &&
    line.updated === mark.updated &&
    line.archived === mark.archived &&
    line.cost === mark.cost
  );
}
