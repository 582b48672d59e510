/**
 * Runs inside a sandbox of its own without network, under the image's Bun, and reads what opencode keeps of its
 * sessions in a home that is mounted read-only. Orders come over standard input, one line of JSON each, answers go to
 * standard output in the same way; when the input ends, so does it. It imports nothing of ours from outside this
 * folder. The agent can write the database: whatever is in it is only passed on, shortened, and checked outside.
 */
import { createInterface } from 'node:readline';
import { listSessions, mostSessions, type SessionLine } from './listSessions';
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
/** Messages are added to a session without its row changing: those used last are summed at each listing. */
const alwaysSummed = 20;
/** It takes a millisecond for each, and more from a slow disk. */
const thoroughlySummed = 500;

const folder = process.argv[2] ?? '';
/** what the host knows: the row of each session as text */
let known = new Map<string, string>();
let reading: { opened: OpenDatabase; schema: Schema } | undefined;
let toSum: ToSum[] = [];
let sumOf: ReturnType<typeof makeSummer> | undefined;
/** the listing that is complete when all are summed */
let listing: number | undefined;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function reopen(): { opened: OpenDatabase; schema: Schema } {
  close();
  const opened = openDatabase(folder);
  reading = {
    opened,
    schema: { session: new Set(), sessionV2: new Set(), message: new Set(), part: new Set() },
  };
  reading = { opened, schema: readSchema(opened.database) };
  return reading;
}

function close(): void {
  sumOf = undefined;
  reading?.opened.close();
  reading = undefined;
}

/** Tells what has changed since the last listing: the newest sessions at once, the rest after them. */
function list(id: number): void {
  const { opened, schema } = reopen();
  const { database, isPartial } = opened;
  const first = listSessions(database, schema, firstPage);
  const isFirst = known.size === 0;
  if (isFirst) say({ id, sessions: first });
  const all = first.length < firstPage ? first : listSessions(database, schema, mostSessions);
  const rows = new Map(all.map((session) => [session.id, JSON.stringify(session)]));
  const changed = all.filter((session) => known.get(session.id) !== rows.get(session.id));
  const told = new Set(isFirst ? first.map((session) => session.id) : []);
  tell(
    id,
    changed.filter((session) => !told.has(session.id)),
  );
  const gone = [...known.keys()].filter((session) => !rows.has(session));
  const stale = new Set([...changed.map((session) => session.id), ...toSum.map((session) => session.id)]);
  toSum = all.flatMap(({ id: session, directory }, index) =>
    index < alwaysSummed || stale.has(session)
      ? [{ id: session, directory, isThorough: index < thoroughlySummed }]
      : [],
  );
  known = rows;
  const newer = schema.sessionV2.size > 0 ? countNewer(opened) : 0;
  const isCut = all.length >= mostSessions;
  // those that opencode 1.2 has taken over are in both places
  const older = isCut ? 0 : olderSessions(folder).filter((session) => !rows.has(session)).length;
  say({ id, listed: { gone, isPartial, newer, older, isCut } });
  listing = id;
  if (schema.message.has('data')) sumOf = makeSummer(database, schema.part.has('data'));
  else toSum = [];
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
  const sum = sumOf;
  const some = sum === undefined ? [] : toSum.splice(0, portion);
  if (some.length > 0 && sum !== undefined) say({ id: listing, sums: some.map(sum) });
  if (toSum.length > 0) {
    setImmediate(sumSome);
    return;
  }
  say({ id: listing, done: true });
  listing = undefined;
}

/** As the host does when it hears of a problem. */
function forget(): void {
  close();
  known = new Map();
  toSum = [];
  listing = undefined;
}

function obey({ id, list: isListing, transcript }: Order): void {
  try {
    if (isListing === true) {
      const isSumming = listing !== undefined;
      list(id);
      if (!isSumming) setImmediate(sumSome);
    } else if (transcript !== undefined) {
      // while sessions are being summed, it is open, and not for long
      const { opened } = listing === undefined ? reopen() : (reading ?? reopen());
      say({ id, messages: readTranscript(opened.database, transcript) });
      say({ id, done: true });
    }
  } catch (error) {
    if (isListing === true) forget();
    say({ id, problem: problemOf(error) });
  }
}

const orders = createInterface({ input: process.stdin });
orders.on('line', (line) => obey(JSON.parse(line) as Order));
orders.on('close', () => process.exit(0));
