/**
 * Runs inside a sandbox of its own without network, under the image's Bun, and reads what opencode keeps of its
 * sessions in a home that is mounted read-only. Orders come over standard input, one line of JSON each, answers go to
 * standard output in the same way; when the input ends, so does it. It imports nothing of ours from outside this
 * folder. The agent can write the database: whatever is in it is only passed on, shortened, and checked outside.
 */
import { createInterface } from 'node:readline';
import { KnownSessions } from './knownSessions';
import { listSessions, mostSessions, type SessionLine } from './listSessions';
import { makeMarker } from './messageMarks';
import { olderSessions, openDatabase, problemOf, type OpenDatabase } from './openDatabase';
import { readSchema, type Schema } from './schema';
import { makeSummer, type ToSum } from './sumSession';
import { readTranscript, type TranscriptOrder } from './transcript';

interface Order {
  readonly id: number;
  readonly list?: true;
  readonly transcript?: TranscriptOrder;
}

/** So many sessions come at once; the rest follows while they are shown. */
const firstPage = 100;
const pageSize = 1000;
/** Sessions are summed in portions, so that an order in between is not kept waiting. */
const portion = 50;
/** Messages are added to a session without its row changing: those used last are looked at each time. */
const alwaysLookedAt = 20;
/** It takes a millisecond for each, and more from a slow disk. */
const thoroughlySummed = 500;

/** A database that is open, and what is needed again and again. */
interface Reading {
  readonly opened: OpenDatabase;
  readonly schemaVersion: number;
  readonly schema: Schema;
  readonly sum: ReturnType<typeof makeSummer> | undefined;
  readonly markMessages: ReturnType<typeof makeMarker>;
  /** ids of sessions of opencode 1.1 or older */
  readonly older: readonly string[];
  /** what was said of the list when its version was this one */
  listed?: { readonly version: number; readonly summary: object };
}

const folder = process.argv[2] ?? '';
let known = new KnownSessions();
let reading: Reading | undefined;
let toSum: ToSum[] = [];
/** of those that are looked at each time */
let messageMarks = new Map<string, string | undefined>();
/** the listing that is complete when all are summed */
let listing: number | undefined;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Opens the database anew only where another file is there now, or it has other tables. */
function current(): Reading {
  if (reading?.opened.isCurrent() && reading.opened.schemaVersion() === reading.schemaVersion) return reading;
  close();
  const opened = openDatabase(folder);
  try {
    const schemaVersion = opened.schemaVersion();
    const schema = readSchema(opened.database);
    const hasMessages = schema.message.has('data');
    const sum = hasMessages ? makeSummer(opened.database, schema.part.has('data')) : undefined;
    const markMessages = makeMarker(opened.database, schema);
    reading = { opened, schemaVersion, schema, sum, markMessages, older: olderSessions(folder) };
    return reading;
  } catch (error) {
    opened.close();
    throw error;
  }
}

function close(): void {
  reading?.opened.close();
  reading = undefined;
}

/** Tells what has changed since the last listing: the first time the newest sessions at once, the rest after them. */
function list(id: number): void {
  const now = current();
  const version = now.opened.version();
  if (now.listed?.version === version) {
    say({ id, listed: { ...now.listed.summary, gone: [] } });
  } else {
    now.listed = { version, summary: tellChanges(id, now) };
  }
  listing = id;
}

/** @returns what was said of the list as a whole */
function tellChanges(id: number, { opened, schema, sum, markMessages, older }: Reading): object {
  const { database, isPartial } = opened;
  const { touched, untouched } = lookAtMessages(markMessages);
  const first = known.size === 0 ? listSessions(database, schema, firstPage) : undefined;
  if (first) say({ id, sessions: first });
  known.learn(first ?? []);
  const { changed, gone } = known.update(database, schema, touched);
  tell(id, changed);
  const others = [...(first ?? []), ...changed].flatMap((one) => (untouched.has(one.id) ? [] : [one.id]));
  const stale = new Set([...touched, ...others, ...toSum.map((one) => one.id)]);
  toSum = sum === undefined ? [] : sessionsToSum(stale);
  const summary = {
    isPartial,
    newer: schema.sessionV2.size > 0 ? countNewer(opened) : 0,
    isCut: known.size >= mostSessions,
    // those that opencode 1.2 has taken over are in both places
    older: known.size >= mostSessions ? 0 : older.filter((session) => !known.has(session)).length,
  };
  say({ id, listed: { gone, ...summary } });
  return summary;
}

/** @returns ids of those used last: whose messages are others than at the last listing, and whose are not */
function lookAtMessages(markMessages: Reading['markMessages']): {
  readonly touched: readonly string[];
  readonly untouched: ReadonlySet<string>;
} {
  const marks = new Map(known.latest(alwaysLookedAt).map(({ id }) => [id, markMessages(id)]));
  const isSame = (id: string): boolean =>
    marks.get(id) !== undefined && marks.get(id) === messageMarks.get(id);
  const ids = [...marks.keys()];
  const [touched, untouched] = [ids.filter((id) => !isSame(id)), new Set(ids.filter(isSame))];
  messageMarks = marks;
  return { touched, untouched };
}

function sessionsToSum(ids: ReadonlySet<string>): ToSum[] {
  if (ids.size === 0) return [];
  const since = known.timeOf(thoroughlySummed);
  return known.latestFirst(ids).map(({ id, directory, updated }, index) => ({
    ...{ id, directory },
    isThorough: index < thoroughlySummed && updated >= since,
  }));
}

function tell(id: number, sessions: readonly SessionLine[]): void {
  for (let start = 0; start < sessions.length; start += pageSize) {
    say({ id, sessions: sessions.slice(start, start + pageSize) });
  }
}

/** Sessions that only opencode 2 has; it has copied those of version 1 under the same ids. */
function countNewer({ database }: OpenDatabase): number {
  const row = database
    .prepare('SELECT count(*) AS sessions FROM main.session_v2 WHERE id NOT IN (SELECT id FROM main.session)')
    .get();
  return Number(row?.['sessions'] ?? 0);
}

function sumSome(): void {
  if (listing === undefined) return;
  // without one the rest waits for the next listing
  const sum = reading?.sum;
  if (sum !== undefined && toSum.length > 0) say({ id: listing, sums: toSum.splice(0, portion).map(sum) });
  if (sum !== undefined && toSum.length > 0) {
    setImmediate(sumSome);
    return;
  }
  say({ id: listing, done: true });
  listing = undefined;
}

/** As the host does when it hears of a problem. */
function forget(): void {
  close();
  known = new KnownSessions();
  messageMarks = new Map();
  toSum = [];
  listing = undefined;
}

function obey({ id, list: isListing, transcript }: Order): void {
  try {
    if (isListing === true) {
      const isSumming = listing !== undefined;
      // the sums that it did not get yet go into this one
      if (isSumming) say({ id: listing, done: true });
      list(id);
      if (!isSumming) setImmediate(sumSome);
    } else if (transcript !== undefined) {
      say({ id, messages: readTranscript(current().opened.database, transcript) });
    }
  } catch (error) {
    if (isListing === true) forget();
    say({ id, problem: problemOf(error) });
  }
}

const orders = createInterface({ input: process.stdin });
orders.on('line', (line) => obey(JSON.parse(line) as Order));
orders.on('close', () => process.exit(0));
