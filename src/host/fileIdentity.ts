import { statSync, type BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { FileIdentity, IdentifiedPath } from '../sandbox/specification';

/** The identity of what is at `path` now; a symbolic link is not followed. @throws the errors of lstat(2) */
export async function identify(path: string): Promise<FileIdentity> {
  return identityOf(await lstat(path, { bigint: true }));
}

/** A path with its identity now, as {@link identify} has it. */
export async function identified(path: string): Promise<IdentifiedPath> {
  return { path, identity: await identify(path) };
}

/** The identity in the result of a stat call. */
export function identityOf(stats: BigIntStats): FileIdentity {
  return {
    device: String(stats.dev),
    inode: String(stats.ino),
    size: String(stats.size),
    changedTime: String(stats.ctimeNs),
  };
}

/**
 * The identity of what `path` leads to, symbolic links followed: for paths below /proc, and for paths that the
 * kernel named. Synchronous, as part of one verdict. `undefined` when it is gone or may not be reached.
 */
export function identifyTarget(path: string): FileIdentity | undefined {
  try {
    return identityOf(statSync(path, { bigint: true }));
  } catch {
    return undefined;
  }
}
