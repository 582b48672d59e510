import type { Dirent } from 'node:fs';
import { type FileHandle, opendir } from 'node:fs/promises';
import { openFolder } from '../host/safeFiles';

export interface FolderEntry {
  readonly name: string;
  /** a folder, and no link to one */
  readonly isFolder: boolean;
  readonly isLink: boolean;
}

export interface ListedFolder {
  readonly entries: readonly FolderEntry[];
  /** false: there are more, or some that have no name that is text */
  readonly isComplete: boolean;
}

/** {@link listOpenFolder} of a path; empty when there is no folder, or one that may not be read. */
export async function listFolder(path: string, maximumEntries: number): Promise<ListedFolder> {
  const folder = await openFolder(path).catch(() => undefined);
  if (folder === undefined) return { entries: [], isComplete: true };
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
  let isComplete = true;
  try {
    // piece by piece: a folder can have any number of entries
    for await (const entry of await openRaw(`/proc/self/fd/${folder.fd}`)) {
      if (entries.length >= maximumEntries) return { entries, isComplete: false };
      const name = textOf(entry.name);
      if (name === undefined) isComplete = false;
      else entries.push({ name, isFolder: entry.isDirectory(), isLink: entry.isSymbolicLink() });
    }
  } catch {
    // it may not be read
  }
  return { entries, isComplete };
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
