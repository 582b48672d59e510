import * as v from 'valibot';
import { finite } from '../sandbox/schemas';
import { mark } from './mark';
import { ruleOf, type Severity } from './ruleTexts';

/** Something that an agent may have made or changed and that can act on the host; waits for an answer. */
export const finding = v.object({
  /** below the workspace; hostile */
  path: v.string(),
  change: v.picklist(['new', 'changed']),
  mark,
  /** milliseconds since the epoch */
  foundAt: finite,
  /** it is not there any more, or what was there before was put back; it may have acted meanwhile */
  isGone: v.optional(v.boolean()),
});
export type Finding = v.InferOutput<typeof finding>;

const severities: readonly Severity[] = ['severe', 'warning', 'notice'];

export function severityOf({ mark: { rule } }: Finding): Severity {
  return ruleOf(rule).severity;
}

/**
 * The findings, the worst first; of those the ones nearest to the top, because editors and shells act on what is in the
 * folder that they are opened in; and of those the latest.
 */
export function sortedFindings(findings: Iterable<Finding>): Finding[] {
  const rank = (each: Finding): number => severities.indexOf(severityOf(each));
  const ranked = [...findings].map((each) => ({ each, rank: rank(each), depth: depthOf(each) }));
  ranked.sort(
    (one, other) =>
      one.rank - other.rank ||
      one.depth - other.depth ||
      other.each.foundAt - one.each.foundAt ||
      (one.each.path < other.each.path ? -1 : 1),
  );
  return ranked.map(({ each }) => each);
}

/** How many folders a finding lies in. */
export function depthOf({ path }: Pick<Finding, 'path'>): number {
  return path.split('/').length;
}
