import { relative } from 'node:path';
import { isSameOrInside } from '../sandbox/paths';
import { gitName, type ProtectedPattern } from '../sandbox/protectedPaths';

/** What a search is for. */
interface Asked {
  readonly workspace: string;
  readonly patterns: readonly ProtectedPattern[];
  readonly protectsGit: boolean;
}

/**
 * By which rule something is read-only that is so in another sandbox. A folder of hooks has any name, so all that no
 * entry of the setting explains counts as git's.
 * @returns undefined for what is not in the folder, or not asked for
 */
export function ruleOfBound(path: string, { workspace, patterns, protectsGit }: Asked): string | undefined {
  if (path === workspace || !isSameOrInside(workspace, path)) return undefined;
  const found = relative(workspace, path).split('/');
  const matches = ({ names }: ProtectedPattern): boolean =>
    // a path of several names counts from the top of the folder only
    (names.length === 1 ? found.slice(-1) : found).length === names.length &&
    names.every((name, index) => name.test(found.at(index - names.length) ?? ''));
  return patterns.find(matches)?.rule ?? (protectsGit ? gitName : undefined);
}
