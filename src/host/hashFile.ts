import { createHash } from 'node:crypto';
import type { FileIdentity } from '../sandbox/specification';
import { Cancelled } from '../sandbox/userError';
import { identityOf } from './fileIdentity';
import { openRegularFile } from './regularFile';

/** A file's content in short. */
export interface FileDigest {
  /** 64 hexadecimal digits */
  readonly sha256: string;
  /** what the file was before it was read, and after */
  readonly identity: FileIdentity;
}

/** Reads need not be larger to be as fast as the disk, and none keeps the event loop for long. */
const bufferBytes = 1 << 20;

/**
 * Reads a whole file and hashes it.
 * @throws UnsafeFileError, the errors of open(2), Cancelled, and an Error when the file was changed meanwhile
 */
export async function hashFile(path: string, signal?: AbortSignal): Promise<FileDigest> {
  const file = await openRegularFile(path);
  try {
    const identity = identityOf(await file.stat({ bigint: true }));
    const hash = createHash('sha256');
    const buffer = Buffer.alloc(bufferBytes);
    for (;;) {
      if (signal?.aborted) throw new Cancelled(`${path} was not read to its end`);
      const { bytesRead } = await file.read(buffer, 0, bufferBytes, null);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
    }
    const after = identityOf(await file.stat({ bigint: true }));
    if (!isSameContent(identity, after)) throw new Error(`${path} was changed while it was read`);
    return { sha256: hash.digest('hex'), identity };
  } finally {
    await file.close();
  }
}

/**
 * Whether a file can only hold what it held before: a user can't set the time of a change (ctime). Without the device,
 * whose number can be another one after each mount of a network file system.
 */
export function isSameContent(one: FileIdentity, other: FileIdentity): boolean {
  return one.inode === other.inode && one.size === other.size && one.changedTime === other.changedTime;
}
