import * as v from 'valibot';
import { finite } from '../../sandbox/schemas';
import { cleanLine, cleanText } from './cleanText';

/**
 * What the reader in the sandbox may tell, one JSON document a line. All of it is hostile: the agent can write the
 * database, and with luck the reader is broken into. What does not fit is refused, texts are cleaned and cut here
 * again, and nothing else is passed on.
 */

/** Safe as an argument and as a segment of a path. */
export const sessionId = v.pipe(v.string(), v.regex(/^ses_[A-Za-z0-9]{10,40}$/));

/** A text of one line. */
const line = (length: number): v.GenericSchema<unknown, string> =>
  v.pipe(v.string(), v.maxLength(length), v.transform(cleanLine));
/** A text of several lines. */
const block = (length: number): v.GenericSchema<unknown, string> =>
  v.pipe(v.string(), v.maxLength(length), v.transform(cleanText));
/** Times beyond what Date can hold would throw where they are shown (ECMA-262, Time Values and Time Range). */
const milliseconds = v.pipe(finite, v.minValue(0), v.maxValue(8.64e15));
const count = v.pipe(finite, v.minValue(0), v.maxValue(1e15));

export const sessionLine = v.object({
  id: sessionId,
  /** empty for a session that no other one started */
  parent: v.fallback(v.union([sessionId, v.literal('')]), ''),
  title: line(300),
  directory: v.pipe(v.string(), v.maxLength(4096)),
  agent: line(100),
  model: line(201),
  /** US dollars */
  cost: v.fallback(v.pipe(finite, v.minValue(0), v.maxValue(1e9)), 0),
  tokens: v.fallback(count, 0),
  created: v.fallback(milliseconds, 0),
  updated: v.fallback(milliseconds, 0),
  archived: v.fallback(v.nullable(milliseconds), null),
  version: line(40),
});
export type SessionLine = v.InferOutput<typeof sessionLine>;

/** null: not known */
const lines = v.fallback(v.nullable(count), null);

export const sumsLine = v.object({
  id: sessionId,
  messages: count,
  isOpen: v.boolean(),
  lastMessage: v.fallback(milliseconds, 0),
  /** tokens of the last answer, which opencode's terminal shows as its context */
  context: v.fallback(count, 0),
  files: v.pipe(
    v.array(v.object({ file: v.pipe(v.string(), v.maxLength(1000)), additions: lines, deletions: lines })),
    v.maxLength(100),
  ),
  fileCount: count,
  additions: lines,
  deletions: lines,
});
export type SumsLine = v.InferOutput<typeof sumsLine>;

export const problem = v.picklist([
  'none',
  'olderLayout',
  'newerLayout',
  'notAFile',
  'unreadable',
  'malformed',
  'busy',
  'unknownSchema',
]);
/** Why there is nothing to list. */
export type Problem = v.InferOutput<typeof problem>;

const partLine = v.object({
  type: line(40),
  text: block(20_000),
  isSynthetic: v.boolean(),
  tool: line(100),
  status: line(20),
  title: line(300),
  input: block(4000),
  output: block(8000),
  error: block(2000),
  diff: block(20_000),
  started: v.fallback(v.nullable(milliseconds), null),
  ended: v.fallback(v.nullable(milliseconds), null),
  filename: line(300),
});
export type PartLine = v.InferOutput<typeof partLine>;

const messageLine = v.object({
  id: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  role: line(20),
  created: v.fallback(milliseconds, 0),
  completed: v.fallback(v.nullable(milliseconds), null),
  model: line(201),
  cost: v.fallback(v.pipe(finite, v.minValue(0), v.maxValue(1e9)), 0),
  error: block(2000),
  parts: v.pipe(v.array(partLine), v.maxLength(200)),
});
export type MessageLine = v.InferOutput<typeof messageLine>;

/** What the listing as a whole says. */
const listed = v.object({
  gone: v.pipe(v.array(sessionId), v.maxLength(20_000)),
  /** what opencode has not merged yet is missing */
  isPartial: v.boolean(),
  /** so many sessions of opencode 2 are there, too */
  newer: count,
  /** so many sessions of opencode 1.1 or older, which later versions do not read */
  older: count,
  /** there are more, older ones */
  isCut: v.boolean(),
});
export type Listed = v.InferOutput<typeof listed>;

export const readerLine = v.union([
  v.object({ id: finite, sessions: v.pipe(v.array(sessionLine), v.maxLength(1000)) }),
  v.object({ id: finite, sums: v.pipe(v.array(sumsLine), v.maxLength(100)) }),
  v.object({ id: finite, listed }),
  v.object({ id: finite, messages: v.pipe(v.array(messageLine), v.maxLength(1000)) }),
  v.object({ id: finite, done: v.literal(true) }),
  v.object({ id: finite, problem }),
]);
export type ReaderLine = v.InferOutput<typeof readerLine>;
