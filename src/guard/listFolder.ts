import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
} from 'node:fs';
import { isClosed } from '../host/closedFolder';
import { codeOf, UnsafeFileError } from '../host/safeFiles';
import { openPlace } from '../host/pinned';
import type { OpenFolder } from './openBelow';
import { takeBreak } from './takeBreak';

/** 5 ms of names on a local disk (measured) */
const betweenBreaks = 2000;

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
  /** false: it was changed while it was listed, and what was renamed may be missing; or it is none, or gone */
  readonly isSettled: boolean;
  /** another one as soon as something comes or goes there, as {@link stampOfFolder} has it */
  readonly stamp: string;
}

/** {@link listOpenFolder} of a path; empty when there is no folder. */
export async function listFolder(path: string, maximumEntries: number): Promise<ListedFolder> {
  let folder: OpenFolder;
  try {
    folder = { fd: openPlace(path) };
  } catch (error) {
    const isSettled = isDenied(error);
    return { entries: [], isComplete: !isSettled, hasMore: false, isClosed: false, isSettled, stamp: '' };
  }
  try {
    return await listOpenFolder(folder, maximumEntries);
  } finally {
    closeSync(folder.fd);
  }
}

/**
 * The entries of a folder that an agent can write. A name that is not UTF-8 can't be named to any program and is left
 * out. Synchronous but for its breaks, see `takeBreak.ts`.
 */
export async function listOpenFolder(
  folder: OpenFolder,
  maximumEntries: number,
  signal?: AbortSignal,
): Promise<ListedFolder> {
  const entries: FolderEntry[] = [];
  const before = fstatSync(folder.fd, { bigint: true });
  const closed = isClosed(before);
  const stamp = stampOf(before);
  const isSettled = (): boolean => stampOf(fstatSync(folder.fd, { bigint: true })) === stamp;
  let isComplete = !closed;
  let read = 0;
  let names: RawFolder | undefined;
  try {
    names = openRaw(`/proc/self/fd/${folder.fd}`);
    // piece by piece: a folder can have any number of entries
    for (let entry = names.readSync(); entry; entry = names.readSync()) {
      read += 1;
      if (read > maximumEntries) {
        return { entries, isComplete: false, hasMore: true, isClosed: closed, isSettled: isSettled(), stamp };
      }
      const name = textOf(entry.name);
      if (name === undefined) isComplete = false;
      else entries.push({ name, isFolder: entry.isDirectory(), isLink: entry.isSymbolicLink() });
      if (read % betweenBreaks === 0) await takeBreak(signal);
    }
  } catch (error) {
    signal?.throwIfAborted();
    // what neither we nor the agent can enter hides nothing
    isComplete = isComplete && (codeOf(error) === 'ENOENT' || !isEntered(folder));
  } finally {
    names?.closeSync();
  }
  return { entries, isComplete, hasMore: false, isClosed: closed, isSettled: isSettled(), stamp };
}

/** Which folder is there, and in which state; empty when there is none. */
export function stampOfFolder(path: string): string {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  let fd: number;
  try {
    // to be read: a network file system asks its server then (close-to-open, nfs(5))
    fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    const stats = isDenied(error) ? lstatSync(path, { bigint: true, throwIfNoEntry: false }) : undefined;
    return stats ? stampOf(stats) : '';
  }
  try {
    return stampOf(fstatSync(fd, { bigint: true }));
  } finally {
    closeSync(fd);
  }
}

/** A user can set the other times. */
function stampOf({ ino, ctimeNs }: BigIntStats): string {
  return `${ino} ${ctimeNs}`;
}

/** Whether a folder could not be opened, though there may be one. */
export function isDenied(error: unknown): boolean {
  return !(error instanceof UnsafeFileError) && !['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '');
}

/** Whether programs of ours can open what is in a folder by its name. */
function isEntered({ fd }: OpenFolder): boolean {
  try {
    accessSync(`/proc/self/fd/${fd}`, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

interface RawFolder {
  readSync(): Dirent<Buffer> | null;
  closeSync(): void;
}

/** Names as bytes: the types of Node know this encoding for `readdir` only, `opendir` takes it as well. */
function openRaw(path: string): RawFolder {
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: 256 };
  return opendirSync(path, options) as unknown as RawFolder;
}

/** The text whose UTF-8 these bytes are, if there is one. */
function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
