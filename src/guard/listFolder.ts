import { constants, type Dirent } from 'node:fs';
import { access, type FileHandle, opendir } from 'node:fs/promises';
import { codeOf, openFolder, UnsafeFileError } from '../host/safeFiles';
import { isClosed } from '../host/closedFolder';

export interface FolderEntry {
  readonly name: string;
  /** a folder, and no link to one */
  readonly isFolder: boolean;
  readonly isLink: boolean;
}

export interface ListedFolder {
  readonly entries: readonly FolderEntry[];
  /** false: there are more, or some that have no name that is text, or it may not be read */
  readonly isComplete: boolean;
  /** there are more than were asked for */
  readonly hasMore: boolean;
  /** it is ours and may not be looked into, `isComplete` is false then */
  readonly isClosed: boolean;
}

/** {@link listOpenFolder} of a path; empty when there is no folder. */
export async function listFolder(path: string, maximumEntries: number): Promise<ListedFolder> {
  let folder: FileHandle;
  try {
    folder = await openFolder(path);
  } catch (error) {
    return { entries: [], isComplete: !isDenied(error), hasMore: false, isClosed: false };
  }
  try {
    return await listOpenFolder(folder, maximumEntries);
  } finally {
    await folder.close();
  }
}

/**
 * The entries of a folder that an agent can write. A name that is not UTF-8 can't be named to any program and is left
 * out.
 */
export async function listOpenFolder(folder: FileHandle, maximumEntries: number): Promise<ListedFolder> {
  const entries: FolderEntry[] = [];
  const closed = isClosed(await folder.stat({ bigint: true }));
  let isComplete = !closed;
  try {
    // piece by piece: a folder can have any number of entries
    for await (const entry of await openRaw(`/proc/self/fd/${folder.fd}`)) {
      if (entries.length >= maximumEntries)
        return { entries, isComplete: false, hasMore: true, isClosed: closed };
      const name = textOf(entry.name);
      if (name === undefined) isComplete = false;
      else entries.push({ name, isFolder: entry.isDirectory(), isLink: entry.isSymbolicLink() });
    }
  } catch (error) {
    // what neither we nor the agent can enter hides nothing
    isComplete = isComplete && (codeOf(error) === 'ENOENT' || !(await isEntered(folder)));
  }
  return { entries, isComplete, hasMore: false, isClosed: closed };
}

/** Whether a folder could not be opened, though there may be one. */
export function isDenied(error: unknown): boolean {
  return !(error instanceof UnsafeFileError) || error.reason === 'noAccess';
}

/** Whether programs of ours can open what is in a folder by its name. */
function isEntered(folder: FileHandle): Promise<boolean> {
  return access(`/proc/self/fd/${folder.fd}`, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Names as bytes: the types of Node know this encoding for `readdir` only, `opendir` takes it as well. */
async function openRaw(path: string): Promise<AsyncIterable<Dirent<Buffer>>> {
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: 256 };
  return (await opendir(path, options)) as unknown as AsyncIterable<Dirent<Buffer>>;
}

/** The text whose UTF-8 these bytes are, if there is one. */
function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
