import { type BytePath, namesOf } from './bytePath';
import { isUsedUp, matchNames, type MatchingWork, parseSegment, type Segment } from './namePattern';

/**
 * Rules of .gitignore files as git has them (gitignore(5)): what they apply to, and which of them counts. Their patterns
 * are matched by `namePattern.ts`.
 */

interface IgnoreRule {
  readonly isNegated: boolean;
  readonly onlyFolders: boolean;
  /** matched with the whole path below the folder of the file, else with the last name */
  readonly isAnchored: boolean;
  readonly segments: readonly Segment[];
}

/** The rules of one .gitignore file. */
export interface IgnoreRules {
  /** the folder that it is in */
  readonly folder: BytePath;
  readonly rules: readonly IgnoreRule[];
}

/** A file of more rules, or with longer ones, has been made to be slow. */
const mostRules = 2000;
const longestRule = 4096;

/** Reads a .gitignore file. @param text its bytes, as `BytePath` has them */
export function parseIgnoreFile(folder: BytePath, text: string): IgnoreRules {
  const rules = text
    .split('\n', mostRules)
    .filter(({ length }) => length <= longestRule)
    .flatMap((line) => parseLine(line.endsWith('\r') ? line.slice(0, -1) : line));
  return { folder, rules };
}

/**
 * Whether a path is ignored. That a folder above it is, is for the caller to know.
 * @param files those of the folders above, the outermost first
 * @param work of all paths of one folder: beyond a limit nothing is ignored any more
 */
export function isIgnored(
  files: readonly IgnoreRules[],
  path: BytePath,
  isFolder: boolean,
  work: MatchingWork = { steps: 0 },
): boolean {
  for (let index = files.length - 1; index >= 0; index -= 1) {
    const { folder, rules } = files[index] as IgnoreRules;
    const relative = (folder === '' ? path : path.slice(folder.length + 1)) as BytePath;
    const names = namesOf(relative);
    const last = names.slice(-1);
    const rule = rules.findLast((candidate) =>
      matches(candidate, candidate.isAnchored ? names : last, isFolder, work),
    );
    if (rule) return !rule.isNegated;
  }
  return false;
}

function matches(
  { onlyFolders, segments }: IgnoreRule,
  names: readonly BytePath[],
  isFolder: boolean,
  work: MatchingWork,
): boolean {
  work.steps += 1;
  if ((onlyFolders && !isFolder) || isUsedUp(work)) return false;
  return matchNames(segments, names, work);
}

function parseLine(line: string): IgnoreRule[] {
  const isNegated = line.startsWith('!');
  let pattern = withoutTrailingSpaces(isNegated ? line.slice(1) : line);
  if (pattern === '' || line.startsWith('#')) return [];
  const onlyFolders = pattern.endsWith('/');
  if (onlyFolders) pattern = pattern.slice(0, -1);
  const isAnchored = pattern.includes('/');
  const segments = pattern.replace(/^\//, '').split('/').map(parseSegment);
  if (segments.length > 1 && segments.at(-1) === 'anyNames') {
    // `folder/**` is what lies in the folder, not the folder
    segments.splice(-1, 0, { tokens: ['any'] });
  }
  return [{ isNegated, onlyFolders, isAnchored, segments }];
}

function withoutTrailingSpaces(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === ' ' && pattern[end - 2] !== '\\') end -= 1;
  return pattern.slice(0, end);
}
