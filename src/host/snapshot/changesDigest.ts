import { createHash } from 'node:crypto';
import type { Change } from '../../snapshot/diff';
import { stateOf } from '../../snapshot/keptStates';

/** So many are hashed at a time: one by one takes longer, and all of half a million at once is a text of 100 MB. */
const hashedAtATime = 1000;

/**
 * Tells changes from any others: by their paths and what they look like, not by their number alone.
 * @param changes by path
 * @returns sha256, in hex
 */
export function digestOf(changes: readonly Change[]): string {
  const hash = createHash('sha256');
  for (let start = 0; start < changes.length; start += hashedAtATime) {
    const some = changes.slice(start, start + hashedAtATime);
    // JSON has no line feed in it, so no path runs into the next one
    hash.update(some.map((change) => `${JSON.stringify([change.path, stateOf(change)])}\n`).join(''));
  }
  return hash.digest('hex');
}
