import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises';
import { codeOf, entryPath, readSmallFile, UnsafeFileError } from './safeFiles';

/** What {@link replaceFile} does. */
export interface Replacement {
  /** a plain name */
  readonly name: string;
  /** the content that was read before; undefined when there was no file */
  readonly expected: Buffer | undefined;
  readonly content: string;
}

/**
 * Puts new content in the place of a small file of ours, or makes one, in a folder that somebody else can write.
 * Whoever reads it sees the old or the new content, never a part. A link in its place is refused and never followed.
 * @returns false when the file is not any more what was expected; it is left as it is
 * @throws UnsafeFileError for anything but a regular file of ours
 */
export async function replaceFile(folder: FileHandle, replacement: Replacement): Promise<boolean> {
  const { name, expected, content } = replacement;
  const temporary = entryPath(folder, `.${name}.${randomBytes(6).toString('hex')}`);
  await writeNew(temporary, content, expected && (await modeOf(entryPath(folder, name))));
  try {
    return expected === undefined
      ? await linkNew(temporary, entryPath(folder, name))
      : await renameOver(temporary, entryPath(folder, name), expected);
  } finally {
    await unlink(temporary).catch((error: unknown) => {
      // it was renamed
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }
}

async function writeNew(path: string, content: string, mode: number | undefined): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  // the umask applies, as for any file that a person makes in the folder
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function modeOf(path: string): Promise<number> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: FileHandle;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw codeOf(error) === 'ELOOP' ? new UnsafeFileError('symbolicLink', path, { cause: error }) : error;
  }
  try {
    return (await file.stat()).mode & 0o777;
  } finally {
    await file.close();
  }
}

async function linkNew(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function renameOver(temporary: string, path: string, expected: Buffer): Promise<boolean> {
  const now = await readSmallFile(path, expected.length + 1, { ours: true }).catch((error: unknown) => {
    if (error instanceof UnsafeFileError && ['tooLarge', 'missing'].includes(error.reason)) return undefined;
    throw error;
  });
  if (now === undefined || !now.equals(expected)) return false;
  await rename(temporary, path);
  return true;
}
