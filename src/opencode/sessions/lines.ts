import * as z from 'zod';
import { cleanLine, cleanText } from './cleanText';

/**
 * What the reader in the sandbox may tell, one JSON document a line. All of it is hostile: the agent can write the
 * database, and with luck the reader is broken into. What does not fit is refused, texts are cleaned and cut here
 * again, and nothing else is passed on.
 */

/** Safe as an argument and as a segment of a path. */
export const sessionId = z.string().regex(/^ses_[A-Za-z0-9]{10,40}$/);

/** A text of one line. */
const line = (length: number): z.ZodType<string> => z.string().max(length).transform(cleanLine);
/** A text of several lines. */
const block = (length: number): z.ZodType<string> => z.string().max(length).transform(cleanText);
/** Times beyond what Date can hold would throw where they are shown (ECMA-262, Time Values and Time Range). */
const milliseconds = z.number().min(0).max(8.64e15);
const count = z.number().min(0).max(1e15);

export const sessionLine = z.object({
  id: sessionId,
  /** empty for a session that no other one started */
  parent: z.union([sessionId, z.literal('')]).catch(''),
  title: line(300),
  directory: z.string().max(4096),
  agent: line(100),
  model: line(201),
  /** US dollars */
  cost: z.number().min(0).max(1e9).catch(0),
  tokens: count.catch(0),
  created: milliseconds.catch(0),
  updated: milliseconds.catch(0),
  archived: milliseconds.nullable().catch(null),
  version: line(40),
});
export type SessionLine = z.infer<typeof sessionLine>;

/** null: not known */
const lines = count.nullable().catch(null);

export const sumsLine = z.object({
  id: sessionId,
  messages: count,
  isOpen: z.boolean(),
  lastMessage: milliseconds.catch(0),
  /** tokens of the last answer, which opencode's terminal shows as its context */
  context: count.catch(0),
  files: z.array(z.object({ file: z.string().max(1000), additions: lines, deletions: lines })).max(100),
  fileCount: count,
  additions: lines,
  deletions: lines,
});
export type SumsLine = z.infer<typeof sumsLine>;

export const problem = z.enum([
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
export type Problem = z.infer<typeof problem>;

const partLine = z.object({
  type: line(40),
  text: block(20_000),
  isSynthetic: z.boolean(),
  tool: line(100),
  status: line(20),
  title: line(300),
  input: block(4000),
  output: block(8000),
  error: block(2000),
  diff: block(20_000),
  started: milliseconds.nullable().catch(null),
  ended: milliseconds.nullable().catch(null),
  filename: line(300),
});
export type PartLine = z.infer<typeof partLine>;

const messageLine = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  role: line(20),
  created: milliseconds.catch(0),
  completed: milliseconds.nullable().catch(null),
  model: line(201),
  cost: z.number().min(0).max(1e9).catch(0),
  error: block(2000),
  parts: z.array(partLine).max(200),
});
export type MessageLine = z.infer<typeof messageLine>;

/** What the listing as a whole says. */
const listed = z.object({
  gone: z.array(sessionId).max(20_000),
  /** what opencode has not merged yet is missing */
  isPartial: z.boolean(),
  /** so many sessions of opencode 2 are there, too */
  newer: count,
  /** so many sessions of opencode 1.1 or older, which later versions do not read */
  older: count,
  /** there are more, older ones */
  isCut: z.boolean(),
});
export type Listed = z.infer<typeof listed>;

export const readerLine = z.union([
  z.object({ id: z.number(), sessions: z.array(sessionLine).max(1000) }),
  z.object({ id: z.number(), sums: z.array(sumsLine).max(100) }),
  z.object({ id: z.number(), listed }),
  z.object({ id: z.number(), messages: z.array(messageLine).max(1000) }),
  z.object({ id: z.number(), done: z.literal(true) }),
  z.object({ id: z.number(), problem }),
]);
export type ReaderLine = z.infer<typeof readerLine>;
