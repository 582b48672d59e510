import { statfsSync } from 'node:fs';

/**
 * Whether a file system has no room for so many bytes, or for another file. A quota is not seen (statfs(2)).
 * `false` when nothing can be learnt.
 */
export function isFull(folder: string, neededBytes: number): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder, { bigint: true });
    // some file systems do not count their inodes and say 0 of 0
    return bavail * bsize < BigInt(neededBytes) || (files > 0n && ffree === 0n);
  } catch {
    return false;
  }
}
