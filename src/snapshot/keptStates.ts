import type { BytePath } from './bytePath';
import type { Change } from './diff';

/** By path: what a change looked like when somebody chose to keep it. */
export type KeptStates = ReadonlyMap<BytePath, string>;

/** What a change looks like: should it change once more, it is not the one that somebody chose to keep. */
export function stateOf({ after, from }: Change): string {
  if (after?.kind !== 'file') return JSON.stringify([from, after]);
  const { mode, sha256, stamp } = after;
  return JSON.stringify([from, mode, sha256 ?? stamp]);
}

/** The changes that nobody has chosen to keep. */
export function withoutKept(changes: readonly Change[], kept: KeptStates): Change[] {
  return changes.filter((change) => {
    const state = kept.get(change.path);
    return state === undefined || state !== stateOf(change);
  });
}
