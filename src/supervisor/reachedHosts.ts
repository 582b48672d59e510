import type { ReachedHost } from './protocol';

/**
 * The list of allowed hosts after it was replaced: what was on it before keeps its time.
 * @param entries as `gateway/hostEntry.ts` writes them
 * @param now milliseconds since the epoch
 */
export function reachedHosts(
  before: readonly ReachedHost[],
  entries: readonly string[],
  now: number,
): ReachedHost[] {
  const times = new Map(before.map(({ entry, since }) => [entry, since]));
  return [...new Set(entries)].map((entry) => ({ entry, since: times.get(entry) ?? now }));
}
