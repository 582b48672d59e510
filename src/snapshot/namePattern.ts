import type { BytePath } from './bytePath';

/**
 * Patterns of names in .gitignore files as git has them (gitignore(5)). The agent can write such files, so matching takes
 * at most (length of the pattern × length of the path) steps: regular expressions made of patterns, as libraries make
 * them, can take for ever.
 */

/** What one name of a path is matched with. */
export type Segment = 'anyNames' | { readonly literal: BytePath } | { readonly tokens: readonly Token[] };

/** `*`, `?`, one of some characters, or the character itself. */
type Token = 'any' | 'one' | { readonly set: ReadonlySet<number>; readonly isNegated: boolean } | number;

/** How much was done to match paths of one folder, in comparisons of a character, or of a name. */
export interface MatchingWork {
  steps: number;
  /** default: {@link usualSteps} */
  readonly mostSteps?: number;
}

/** Ten to twenty seconds (measured). Half a million files and 600 rules, as people write them, take a third of it. */
const usualSteps = 2e9;

/** Whether the limit is reached: what is not ignored from then on may only not have been matched. */
export function isUsedUp({ steps, mostSteps = usualSteps }: MatchingWork): boolean {
  return steps > mostSteps;
}

/** Reads a pattern of one name of a path, as it stands in a .gitignore file; each has some meaning. */
export function parseSegment(pattern: string): Segment {
  if (pattern === '**') return 'anyNames';
  if (!/[*?[\\]/.test(pattern)) return { literal: pattern as BytePath };
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '*') {
      if (tokens.at(-1) !== 'any') tokens.push('any');
    } else if (character === '?') {
      tokens.push('one');
    } else if (character === '[') {
      const found = parseSet(pattern, at);
      // what never ends matches nothing (git's wildmatch.c)
      if (!found) return { tokens: [{ set: new Set(), isNegated: false }] };
      tokens.push(found.token);
      at = found.end;
    } else {
      if (character === '\\') at += 1;
      tokens.push(pattern.charCodeAt(Math.min(at, pattern.length - 1)));
    }
  }
  return { tokens };
}

const namedSets: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  digit: /[0-9]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-f]/i,
};

/** Reads `[…]`. @returns its last position; undefined when it has no end */
function parseSet(pattern: string, start: number): { token: Token; end: number } | undefined {
  const set = new Set<number>();
  let at = start + 1;
  const isNegated = pattern[at] === '!' || pattern[at] === '^';
  if (isNegated) at += 1;
  for (let isFirst = true; at < pattern.length; isFirst = false) {
    if (pattern[at] === ']' && !isFirst) return { token: { set, isNegated }, end: at };
    const named = /^\[:(\w+):\]/.exec(pattern.slice(at, at + 12));
    if (named) {
      addNamed(set, named[1] ?? '');
      at += named[0].length;
      continue;
    }
    if (pattern[at] === '\\') at += 1;
    const from = pattern.charCodeAt(at);
    at += 1;
    let to = from;
    if (pattern[at] === '-' && at + 1 < pattern.length && pattern[at + 1] !== ']') {
      at += pattern[at + 1] === '\\' ? 2 : 1;
      to = pattern.charCodeAt(at);
      at += 1;
    }
    for (let code = from; code <= Math.min(to, 255); code += 1) set.add(code);
  }
  return undefined;
}

function addNamed(set: Set<number>, name: string): void {
  for (let code = 0; code < 128; code += 1) {
    if (namedSets[name]?.test(String.fromCharCode(code))) set.add(code);
  }
}

/** Whether a pattern matches all of some names; `**` takes any number of them. @param work is counted on */
export function matchNames(
  segments: readonly Segment[],
  names: readonly BytePath[],
  work: MatchingWork,
): boolean {
  return greedy(
    segments,
    names.length,
    (segment) => segment === 'anyNames',
    (segment, index) => matchName(segment, names[index] ?? ('' as BytePath), work),
    work,
  );
}

function matchName(segment: Segment, name: BytePath, work: MatchingWork): boolean {
  if (segment === 'anyNames') return true;
  if ('literal' in segment) return segment.literal === name;
  const { tokens } = segment;
  const last = tokens.at(-1);
  // most patterns are `*.ending`
  if (typeof last === 'number' && last !== name.charCodeAt(name.length - 1)) return false;
  return greedy(
    tokens,
    name.length,
    (token) => token === 'any',
    (token, index) => matchCode(token, name.charCodeAt(index)),
    work,
  );
}

function matchCode(token: Token, code: number): boolean {
  if (typeof token === 'number') return token === code;
  if (typeof token === 'string') return true;
  return token.set.has(code) !== token.isNegated;
}

/**
 * Matches a pattern with wildcards that take any number of things, none too. It goes back to the last wildcard only,
 * which is enough for such patterns, so that it is over after (pattern × things) steps.
 */
function greedy<Part>(
  pattern: readonly Part[],
  length: number,
  isWildcard: (part: Part) => boolean,
  fits: (part: Part, index: number) => boolean,
  work: MatchingWork,
): boolean {
  let part = 0;
  let index = 0;
  let wildcard = -1;
  let resume = 0;
  while (index < length) {
    work.steps += 1;
    const present = pattern[part];
    if (present !== undefined && isWildcard(present)) {
      wildcard = part;
      resume = index;
      part += 1;
    } else if (present !== undefined && fits(present, index)) {
      part += 1;
      index += 1;
    } else if (wildcard >= 0) {
      part = wildcard + 1;
      resume += 1;
      index = resume;
    } else {
      return false;
    }
  }
  for (; part < pattern.length; part += 1) if (!isWildcard(pattern[part] as Part)) return false;
  return true;
}
