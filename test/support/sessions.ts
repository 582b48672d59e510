import type { SumsLine } from '../../src/opencode/sessions/lines';
import type { Session } from '../../src/opencode/sessions/sessionStore';

/** An id as opencode makes them. */
export const sessionIdOf = (number: number): string => `ses_${String(number).padStart(26, '0')}`;

/** A session that ends well, unless changed. */
export function makeSession(number: number, changes: Partial<Session> = {}): Session {
  return {
    id: sessionIdOf(number),
    parent: '',
    title: `Session ${number}`,
    directory: '/work',
    agent: 'build',
    model: 'site/big',
    cost: 0,
    tokens: 1000,
    created: number * 1000,
    updated: number * 1000,
    archived: null,
    version: '1.18.33',
    ...changes,
  };
}

/** What the messages of a session add up to. */
export function makeSums(number: number, changes: Partial<SumsLine> = {}): SumsLine {
  return {
    id: sessionIdOf(number),
    messages: 2,
    isOpen: false,
    lastMessage: 0,
    context: 0,
    files: [],
    fileCount: 0,
    additions: 0,
    deletions: 0,
    ...changes,
  };
}
