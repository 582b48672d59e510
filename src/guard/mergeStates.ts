import type { Finding } from './finding';
import type { GuardState } from './guardState';
import { changeOf, type Mark } from './mark';

type Known = Pick<GuardState, 'marks' | 'findings' | 'unkept'>;

const noMarks: ReadonlyMap<string, Mark> = new Map();

/**
 * Merges what two windows know of one workspace, path by path: what this one has changed since it looked at the other's
 * counts, and everything else is the other's. What the other one saw change after an answer here is still a finding.
 * @param base what both went on from @param mine what this window knows @param theirs what the other one has written
 */
export function mergeStates(base: Known | undefined, mine: Known, theirs: Known): Known {
  const marks = merge(base?.marks ?? noMarks, mine.marks, theirs.marks, textOfMark);
  const findings = merge(findingsOf(base), findingsOf(mine), findingsOf(theirs), textOfFinding);
  // answered there before it was found here
  const isOpen = ({ path, mark, isGone }: Finding): boolean =>
    isGone === true || changeOf(marks.get(path), mark) !== undefined;
  return {
    marks,
    findings: [...findings.values()].filter(isOpen),
    unkept: Math.max(mine.unkept, theirs.unkept),
  };
}

function merge<Value>(
  base: ReadonlyMap<string, Value>,
  mine: ReadonlyMap<string, Value>,
  theirs: ReadonlyMap<string, Value>,
  textOf: (value: Value) => string,
): Map<string, Value> {
  const merged = new Map(theirs);
  const text = (values: ReadonlyMap<string, Value>, path: string): string | undefined => {
    const value = values.get(path);
    return value === undefined ? undefined : textOf(value);
  };
  for (const path of new Set([...base.keys(), ...mine.keys()])) {
    // most are the same object
    if (mine.get(path) === base.get(path)) continue;
    const before = text(base, path);
    if (text(mine, path) === before) continue;
    const own = mine.get(path);
    if (own !== undefined) merged.set(path, own);
    else if (text(theirs, path) === before) merged.delete(path);
  }
  return merged;
}

function findingsOf(known: Known | undefined): Map<string, Finding> {
  return new Map(known?.findings.map((each) => [each.path, each]));
}

function textOfMark({ rule, kind, identity, content }: Mark): string {
  return JSON.stringify([rule, kind, identity, content]);
}

/** Two windows find the same at different times, and one of them sees first that it was only touched. */
function textOfFinding({ change, mark, isGone }: Finding): string {
  return JSON.stringify([change, mark.rule, mark.kind, mark.content ?? mark.identity, isGone === true]);
}
