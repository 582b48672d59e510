import { type BigIntStats, constants } from 'node:fs';
import { chmod, type FileHandle, mkdir, open } from 'node:fs/promises';
import type { FileProblem } from '../sandbox/paths';

/**
 * Files in folders that somebody else (the agent, above all) can change while we work there. A file or folder is
 * first pinned: opened as a mere place, without following a link and without touching what it is. All further work
 * goes through `/proc/self/fd`, so that nothing can be swapped in between.
 */

export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError';

  constructor(
    readonly reason: FileProblem,
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(`${path}: ${reason}`, options);
  }
}

/** O_PATH of <asm-generic/fcntl.h>, which Node does not export: open a place, not its content. */
export const openPath = 0o10000000;
const ownerOnly = 0o700;

/**
 * Opens the folder at `path` as a place for {@link entryPath}.
 * @param options `ours`: it must also belong to us
 * @throws UnsafeFileError when it is anything else, a link to a folder included
 */
export async function openFolder(
  path: string,
  options: { readonly ours?: boolean } = {},
): Promise<FileHandle> {
  return pin(path, (stats) => {
    requireFolder(stats, path);
    if (options.ours === true) requireOwner(stats, path);
  });
}

/** Like {@link openFolder}, but makes the folder when it is missing, and it is ours with mode 0700 afterwards. */
export async function openPrivateFolder(path: string): Promise<FileHandle> {
  await mkdir(path, ownerOnly).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw toUnsafe(path, error);
  });
  return pin(path, async (stats, pinned) => {
    requireFolder(stats, path);
    requireOwner(stats, path);
    if ((stats.mode & 0o7777n) !== BigInt(ownerOnly)) await chmod(pinned, ownerOnly);
  });
}

/** The path of an entry of an open folder. Valid while the folder is open. @param name a plain name, not a path */
export function entryPath(folder: Pick<FileHandle, 'fd'>, name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) {
    throw new TypeError('not the name of a directory entry');
  }
  return `/proc/self/fd/${folder.fd}/${name}`;
}

/**
 * Reads a regular file of at most `maximumBytes` bytes.
 * @param options `ours`: it must also belong to us
 * @throws UnsafeFileError for anything else (links, FIFOs and devices are not even opened)
 */
export async function readSmallFile(
  path: string,
  maximumBytes: number,
  options: { readonly ours?: boolean } = {},
): Promise<Buffer> {
  const place = await pin(path, (stats) => {
    if (stats.isSymbolicLink()) throw new UnsafeFileError('symbolicLink', path);
    if (!stats.isFile()) throw new UnsafeFileError('notAFile', path);
    if (options.ours === true) requireOwner(stats, path);
    if (stats.size > BigInt(maximumBytes)) throw new UnsafeFileError('tooLarge', path);
  });
  try {
    const file = await open(`/proc/self/fd/${place.fd}`, constants.O_RDONLY | constants.O_NONBLOCK).catch(
      rethrow(path),
    );
    try {
      return await readAtMost(file, maximumBytes, path);
    } finally {
      await file.close();
    }
  } finally {
    await place.close();
  }
}

/**
 * The first bytes of a regular file of any size, as text.
 * @throws UnsafeFileError for anything else, as {@link readSmallFile}
 */
export async function readHead(path: string, bytes: number): Promise<string> {
  const place = await pin(path, (stats) => {
    if (stats.isSymbolicLink()) throw new UnsafeFileError('symbolicLink', path);
    if (!stats.isFile()) throw new UnsafeFileError('notAFile', path);
  });
  try {
    const file = await open(`/proc/self/fd/${place.fd}`, constants.O_RDONLY | constants.O_NONBLOCK).catch(
      rethrow(path),
    );
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } finally {
    await place.close();
  }
}

/**
 * Creates a file with mode 0600 and this content.
 * @returns false when something with that name is there already; it is left as it is
 */
export async function createFile(path: string, content: string | Buffer): Promise<boolean> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  let file: FileHandle;
  try {
    file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw toUnsafe(path, error);
  }
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
  return true;
}

/** The `code` of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Opens `path` as a place and lets `check` refuse it; `pinned` is a path to the very thing that was checked. */
async function pin(
  path: string,
  check: (stats: BigIntStats, pinned: string) => void | Promise<void>,
): Promise<FileHandle> {
  const place = await open(path, openPath | constants.O_NOFOLLOW).catch(rethrow(path));
  try {
    await check(await place.stat({ bigint: true }), `/proc/self/fd/${place.fd}`);
    return place;
  } catch (error) {
    await place.close();
    throw error;
  }
}

function requireFolder(stats: BigIntStats, path: string): void {
  if (stats.isSymbolicLink()) throw new UnsafeFileError('symbolicLink', path);
  if (!stats.isDirectory()) throw new UnsafeFileError('notAFolder', path);
}

function requireOwner(stats: BigIntStats, path: string): void {
  if (stats.uid !== BigInt(process.geteuid?.() ?? -1)) throw new UnsafeFileError('foreignOwner', path);
}

/** Reads to the end, whatever size the file had when it was opened. */
async function readAtMost(file: FileHandle, maximumBytes: number, path: string): Promise<Buffer> {
  const buffer = Buffer.alloc(maximumBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (length > maximumBytes) throw new UnsafeFileError('tooLarge', path);
    if (bytesRead === 0) return buffer.subarray(0, length);
  }
}

function rethrow(path: string): (error: unknown) => never {
  return (error) => {
    throw toUnsafe(path, error);
  };
}

const reasons: Readonly<Record<string, FileProblem>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ELOOP: 'symbolicLink',
  EACCES: 'noAccess',
  EPERM: 'noAccess',
  EROFS: 'noAccess',
};

function toUnsafe(path: string, error: unknown): unknown {
  const reason = reasons[codeOf(error) ?? ''];
  return reason === undefined ? error : new UnsafeFileError(reason, path, { cause: error });
}
