import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
} from 'node:fs';
import { type BytePath, namesOf } from '../snapshot/bytePath';
import { codeOf, openPath, UnsafeFileError } from './safeFiles';

/**
 * What `host/safeFiles.ts` does for one file, for very many: synchronous, and with names as bytes. Snapshots use it in a
 * thread of their own; the guard uses `openPlace` and `readInto` in the extension host, with breaks. Folders are opened as
 * places, one name after the other, so that no link on the way is followed.
 */

/** What Node takes for a path. */
export type KernelPath = string | Buffer;

/** A path below an open folder. @param name one name */
export function entryOf(folder: number, name: BytePath): KernelPath {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')) {
    throw new TypeError('not the name of a directory entry');
  }
  const path = `/proc/self/fd/${folder}/${name}`;
  // a string is quicker, and says the same as long as it is ASCII
  return /^[\x20-\x7e]*$/.test(name) ? path : Buffer.from(path, 'latin1');
}

/** The path of the very thing that a descriptor stands for. */
export function pinnedPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

/** Opens a folder as a place. @throws UnsafeFileError when it is no folder, a link to one included */
export function openPlace(path: KernelPath): number {
  const { O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    return openSync(path, openPath | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) !== 'ENOTDIR') throw error;
    throw new UnsafeFileError('notAFolder', String(path), { cause: error });
  }
}

/** What lstat(2) says of an entry; undefined when it is gone. */
export function statEntry(path: KernelPath): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * What tells one state of a file from another: inode, size, and the times of its last changes. A user can set the
 * first time, but not the second.
 */
export function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** The content of a file, and its state before and after reading. */
export interface ReadFile {
  readonly content: Buffer;
  readonly stats: BigIntStats;
  /** it was the same when it had been read */
  readonly isSettled: boolean;
}

/**
 * Reads a regular file into `buffer`; links, FIFOs and devices are not even opened.
 * @param opensUp reads a file, too, whose permissions keep its owner out; they are the same afterwards
 * @returns undefined when it is no regular file any more, or does not fit
 * @throws what the kernel says when it may not be read
 */
export function readInto(buffer: Buffer, path: KernelPath, opensUp = false): ReadFile | undefined {
  const place = openSync(path, openPath | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(place).isFile()) return undefined;
    const file = opensUp ? openUp(place) : openPinned(place);
    try {
      const stats = fstatSync(file, { bigint: true });
      if (stats.size > BigInt(buffer.length)) return undefined;
      const size = Number(stats.size);
      const length = readUpTo(file, buffer, size);
      const isSettled = length === size && stampOf(fstatSync(file, { bigint: true })) === stampOf(stats);
      return { content: buffer.subarray(0, length), stats, isSettled };
    } finally {
      closeSync(file);
    }
  } finally {
    closeSync(place);
  }
}

function openPinned(place: number): number {
  return openSync(pinnedPath(place), constants.O_RDONLY | constants.O_NONBLOCK);
}

function openUp(place: number): number {
  try {
    return openPinned(place);
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    const mode = fstatSync(place).mode & 0o7777;
    changeModeOf(place, mode | 0o400);
    try {
      return openPinned(place);
    } finally {
      changeModeOf(place, mode);
    }
  }
}

/** @returns how much there was */
function readUpTo(file: number, buffer: Buffer, size: number): number {
  let length = 0;
  while (length < size) {
    const read = readSync(file, buffer, length, size - length, null);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/**
 * Folders on the way to the paths that one works on, each open as a place. Those that the next path shares stay open.
 */
export class FolderChain {
  private readonly open: { readonly name: BytePath; readonly descriptor: number }[] = [];

  /**
   * @param root an open folder, which stays the caller's
   * @param onClosed called with a folder that may not be entered, to open it up
   */
  constructor(
    private readonly root: number,
    private readonly onClosed?: (folder: BytePath, descriptor: number) => void,
  ) {}

  /** Goes to a folder. @returns a descriptor that is valid until the next call @throws as {@link openPlace} */
  enter(folder: BytePath): number {
    const names = namesOf(folder);
    let shared = 0;
    while (shared < names.length && this.open[shared]?.name === names[shared]) shared += 1;
    this.closeFrom(shared);
    for (let depth = shared; depth < names.length; depth += 1) {
      const name = names[depth] as BytePath;
      const descriptor = this.openBelow(names.slice(0, depth).join('/') as BytePath, name);
      this.open.push({ name, descriptor });
    }
    return this.present;
  }

  /** The folder at this path is about to go or has come: it must be opened anew. */
  forget(folder: BytePath): void {
    const names = namesOf(folder);
    if (names.every((name, depth) => this.open[depth]?.name === name)) this.closeFrom(names.length - 1);
  }

  close(): void {
    this.closeFrom(0);
  }

  private get present(): number {
    return this.open.at(-1)?.descriptor ?? this.root;
  }

  private openBelow(folder: BytePath, name: BytePath): number {
    const parent = this.present;
    try {
      return openPlace(entryOf(parent, name));
    } catch (error) {
      if (codeOf(error) !== 'EACCES' || !this.onClosed) throw error;
      this.onClosed(folder, parent);
      return openPlace(entryOf(parent, name));
    }
  }

  private closeFrom(depth: number): void {
    this.open.splice(Math.max(0, depth)).forEach(({ descriptor }) => closeSync(descriptor));
  }
}

/** Sets the permissions of the very file or folder that is open. */
export function changeModeOf(descriptor: number, mode: number): void {
  chmodSync(pinnedPath(descriptor), mode);
}
