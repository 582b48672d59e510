import { closeSync, fstatSync, statfsSync } from 'node:fs';
import { type BytePath, nameOf, parentOf } from '../../snapshot/bytePath';
import { chooseLeftOut } from '../../snapshot/keepPolicy';
import type { Entry, FileEntry, Manifest, NotKept } from '../../snapshot/manifest';
import { isClosed } from '../closedFolder';
import { codeOf } from '../safeFiles';
import { OpenedFolders } from './openedFolders';
import { sha256Of } from './packs';
import { entryOf, FolderChain, openPlace, pinnedPath, type ReadFile, readInto, stampOf } from '../pinned';

/** How often a file is read that changes while it is read. */
const mostReadings = 3;

/** A file that was changed less than this before it was read may be changed once more without its times telling. */
const youngMilliseconds = 2000n;

/** git's rule for binary files, of its buffer_is_binary(). */
const binaryBytes = 8000;

/** TMPFS_MAGIC and RAMFS_MAGIC of <linux/magic.h>: writes through a mapping leave a file's times alone there. */
const timelessFileSystems: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

export interface ReadingOptions {
  readonly maximumBytes: number;
  readonly maximumFileBytes: number;
  /** an earlier look: a file that is the same by inode, size and times is not read again */
  readonly earlier: Manifest | undefined;
  /** takes each content that is kept; without it contents are only compared */
  readonly keep?: {
    readonly has: (sha256: string) => boolean;
    readonly add: (sha256: string, content: Buffer) => void;
  };
  /** reads files, too, whose permissions keep their owner out; they are the same afterwards */
  readonly opensUp?: boolean;
  readonly onProgress?: (files: number, bytes: number) => void;
}

interface Reading {
  readonly options: ReadingOptions;
  readonly chain: FolderChain;
  readonly opened: OpenedFolders;
  readonly buffer: Buffer;
  files: number;
  bytes: number;
}

/**
 * Completes what a walk has found with the hashes of the contents.
 * @param root the folder, open
 * @param entries of the walk; changed in place
 */
export function readContents(root: number, entries: Map<BytePath, Entry>, options: ReadingOptions): void {
  const files = [...entries].flatMap(([path, entry]) =>
    entry.kind === 'file' ? [{ path, size: entry.size, entry }] : [],
  );
  const leftOut = chooseLeftOut(files, options.maximumBytes, options.maximumFileBytes);
  const usesTimes = !timelessFileSystems.has(statfsSync(pinnedPath(root)).type);
  const opened = new OpenedFolders();
  const chain = new FolderChain(root, (folder, descriptor) => opened.openUp(folder, descriptor));
  const largest = files.reduce(
    (most, { path, size }) => (leftOut.has(path) ? most : Math.max(most, size)),
    0,
  );
  const reading: Reading = {
    options,
    chain,
    opened,
    // a file that has grown meanwhile fits, up to a point
    buffer: Buffer.allocUnsafe(Math.min(options.maximumFileBytes, largest + growth)),
    files: 0,
    bytes: 0,
  };
  try {
    for (const { path, entry } of files) {
      if (reading.files % 500 === 0) options.onProgress?.(reading.files, reading.bytes);
      const reason = leftOut.get(path);
      const complete = reason ? withoutContent(entry, reason) : completed(path, entry, reading, usesTimes);
      if (complete) entries.set(path, complete);
      else entries.delete(path);
      reading.files += 1;
      reading.bytes += reason ? 0 : entry.size;
    }
  } finally {
    opened.restore(chain);
    chain.close();
  }
}

const growth = 2 ** 20;

function withoutContent(entry: FileEntry, notKept: NotKept): FileEntry {
  return { ...entry, notKept };
}

/** @returns undefined when the file is gone */
function completed(
  path: BytePath,
  entry: FileEntry,
  reading: Reading,
  usesTimes: boolean,
): Entry | undefined {
  const { earlier, keep } = reading.options;
  const known = usesTimes ? earlier?.entries.get(path) : undefined;
  if (known?.kind === 'file' && isStill(known, entry) && (!keep || keep.has(known.sha256 ?? ''))) {
    return { ...known, mode: entry.mode };
  }
  try {
    return read(path, entry, reading);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) return undefined;
    return withoutContent(entry, 'unreadable');
  }
}

function isStill(known: FileEntry, entry: FileEntry): boolean {
  return known.sha256 !== undefined && !known.isYoung && known.stamp === entry.stamp;
}

function read(path: BytePath, entry: FileEntry, reading: Reading): FileEntry | undefined {
  const { options } = reading;
  for (let tries = 0; tries < mostReadings; tries += 1) {
    const found = readFile(path, reading);
    if (!found) break;
    if (!found.isSettled) continue;
    const sha256 = sha256Of(found.content);
    options.keep?.add(sha256, found.content);
    return described(found, sha256);
  }
  return withoutContent(entry, 'changing');
}

/** As {@link readInto}; where the folder keeps its owner from what is in it, it is opened up for that. */
function readFile(path: BytePath, { options, chain, opened, buffer }: Reading): ReadFile | undefined {
  const parent = parentOf(path);
  const folder = chain.enter(parent);
  const file = entryOf(folder, nameOf(path));
  try {
    return readInto(buffer, file, options.opensUp);
  } catch (error) {
    if (codeOf(error) !== 'EACCES' || !isClosed(fstatSync(folder, { bigint: true }))) throw error;
    opened.openUp(parent, folder);
    return readInto(buffer, file, options.opensUp);
  }
}

function described({ content, stats }: ReadFile, sha256: string): FileEntry {
  const changed = stats.ctimeMs > stats.mtimeMs ? stats.ctimeMs : stats.mtimeMs;
  return {
    kind: 'file',
    mode: Number(stats.mode & 0o7777n),
    size: content.length,
    stamp: stampOf(stats),
    sha256,
    ...(content.subarray(0, binaryBytes).includes(0) ? { isBinary: true } : {}),
    ...(BigInt(Date.now()) - changed < youngMilliseconds ? { isYoung: true } : {}),
  };
}

/** Opens a workspace. @returns it, and the kernel's name for it @throws UnsafeFileError when it is no folder */
export function openWorkspace(path: string): { root: number; device: string; inode: string } {
  const root = openPlace(path);
  try {
    const { dev, ino } = fstatSync(root, { bigint: true });
    return { root, device: String(dev), inode: String(ino) };
  } catch (error) {
    closeSync(root);
    throw error;
  }
}
