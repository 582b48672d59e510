import * as v from 'valibot';
import { isRuleId, type RuleId } from './ruleTexts';

/** By what one notable file, folder or link is known again. */
export const mark = v.object({
  rule: v.custom<RuleId>((value) => typeof value === 'string' && isRuleId(value)),
  kind: v.picklist(['file', 'folder', 'link', 'special']),
  /** device, inode, size, mode and ctime: while it is the same nothing has changed, as a user can't set ctime */
  identity: v.string(),
  /** of what matters in it; undefined when it was too large to be read, or may not be */
  content: v.optional(v.string()),
  /** sha256 of the whole content, where a copy was kept */
  kept: v.optional(v.string()),
});
export type Mark = v.InferOutput<typeof mark>;

/** What happened to something notable, if anything. @param before undefined: it was not there, or not notable */
export function changeOf(before: Mark | undefined, now: Mark): 'new' | 'changed' | undefined {
  if (before === undefined) return 'new';
  return before.identity === now.identity || isSameAs(before, now) ? undefined : 'changed';
}

/** Whether there is the same, as far as it matters. What was read counts first: it is read later than the identity. */
export function isSameAs(before: Mark, now: Mark): boolean {
  const isRead = before.content !== undefined || now.content !== undefined;
  return isRead
    ? before.kind === now.kind && before.content === now.content
    : before.identity === now.identity;
}
