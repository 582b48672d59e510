import type { BigIntStats } from 'node:fs';

/** S_IRUSR and S_IXUSR of <sys/stat.h>: without them its owner can't list a folder, or not look at what is in it. */
const lookBits = 0o500n;

/**
 * Whether something is a folder of ours that we can't look into as it is. An agent can make one at any time, and without
 * the right to read only, programs open in it what they know by name: all but us see what is there.
 */
export function isClosed(stats: BigIntStats): boolean {
  const isOurs = stats.uid === BigInt(process.geteuid?.() ?? -1);
  return stats.isDirectory() && isOurs && (stats.mode & lookBits) !== lookBits;
}
