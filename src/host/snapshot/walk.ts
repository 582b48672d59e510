import { type BigIntStats, closeSync, fstatSync, opendirSync, readlinkSync } from 'node:fs';
import { type BytePath, below, fromBytes, namesOf, rootPath } from '../../snapshot/bytePath';
import type { IgnoreRules } from '../../snapshot/ignoreRules';
import type { Entry } from '../../snapshot/manifest';
import { codeOf, UnsafeFileError } from '../safeFiles';
import { type LookedInto, openToLook } from './openedFolders';
import { entryOf, type KernelPath, openPlace, pinnedPath, stampOf, statEntry } from '../pinned';
import { type RuleOptions, WalkRules } from './walkRules';

/** Files and folders that are looked at; a folder with more is told to be truncated. */
const mostEntries = 500_000;

/** Folders within folders: one descriptor is open for each, and login nodes allow 1024. */
const mostDepth = 256;

/**
 * The longest path of a folder that is looked into: V8 takes the length of a text of more than 16,383 characters for its
 * hash, so that each look-up of such a path compares it with all that are as long (4000 of them took half a minute).
 */
const longestPath = 16_000;

/** When all paths together have so many bytes, only folders with a path like people's are looked into any more. */
const mostPathBytes = 128 * 2 ** 20;
const usualPath = 512;

export interface WalkOptions extends RuleOptions {
  /** whether a folder is not looked into */
  readonly isClosed: (path: BytePath) => boolean;
  /** called for every thousand entries @throws to give up */
  readonly onProgress?: (entries: number) => void;
}

/** What was found; of files nothing is read yet. */
export interface Walked {
  readonly entries: Map<BytePath, Entry>;
  readonly ignoreFiles: ReadonlyMap<BytePath, string>;
  readonly isTruncated: boolean;
  /** see {@link RuleOptions.isKnown} */
  readonly hidesNew: boolean;
}

interface Walk {
  readonly entries: Map<BytePath, Entry>;
  isTruncated: boolean;
  pathBytes: number;
  readonly rules: WalkRules;
  readonly options: WalkOptions;
  readonly device: bigint;
}

/**
 * Looks at everything below a folder that an agent can write, without following a link or opening what is no folder.
 * What vanishes meanwhile is left out. Other file systems below are not looked into.
 * @param root an open folder
 */
export function walk(root: number, options: WalkOptions): Walked {
  const found: Walk = {
    entries: new Map(),
    isTruncated: false,
    pathBytes: 0,
    rules: new WalkRules(options),
    options,
    device: fstatSync(root, { bigint: true }).dev,
  };
  visit(openToLook(root), rootPath, [], found);
  const { entries, isTruncated, rules } = found;
  return { entries, isTruncated, ignoreFiles: rules.files, hidesNew: rules.hidesNew };
}

function visit(
  { folder, listed, close }: LookedInto,
  path: BytePath,
  above: readonly IgnoreRules[],
  found: Walk,
): void {
  try {
    const rules = found.rules.within(folder, path, above);
    const names = namesIn(folder, path, found);
    listed();
    for (const name of names) look(folder, path, name, rules, found);
  } finally {
    close();
  }
}

/** Read piece by piece: a folder can have any number of entries. @throws UnsafeFileError when their paths are too much */
function namesIn(folder: number, path: BytePath, found: Walk): BytePath[] {
  const names: BytePath[] = [];
  const entries = opendirSync(pinnedPath(folder), { encoding: 'latin1', bufferSize: 512 });
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
      if (found.entries.size + names.length >= mostEntries) {
        found.isTruncated = true;
        break;
      }
      found.pathBytes += path.length + entry.name.length;
      if (isTooLong(path, found)) throw new UnsafeFileError('tooLarge', path.slice(0, usualPath));
      names.push(entry.name as BytePath);
    }
  } finally {
    entries.closeSync();
  }
  return names;
}

function look(
  folder: number,
  parent: BytePath,
  name: BytePath,
  rules: readonly IgnoreRules[],
  found: Walk,
): void {
  const path = below(parent, name);
  const entryPath = entryOf(folder, name);
  const stats = statEntry(entryPath);
  if (!stats || found.rules.hide(rules, path, stats.isDirectory())) return;
  const size = found.entries.size;
  if (size % 1000 === 999) found.options.onProgress?.(size + 1);
  if (!stats.isDirectory()) {
    const entry = describe(entryPath, stats);
    if (entry) found.entries.set(path, entry);
    return;
  }
  const mode = Number(stats.mode & 0o7777n);
  const isClosed =
    found.options.isClosed(path) ||
    stats.dev !== found.device ||
    isTooLong(path, found) ||
    namesOf(path).length > mostDepth;
  found.entries.set(path, { kind: isClosed ? 'closed' : 'folder', mode });
  if (isClosed) return;
  try {
    visit(openEntry(entryPath), path, rules, found);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    found.entries.set(path, { kind: 'closed', mode });
  }
}

function isTooLong({ length }: BytePath, { pathBytes }: Walk): boolean {
  return length > (pathBytes > mostPathBytes ? usualPath : longestPath);
}

function openEntry(path: KernelPath): LookedInto {
  const place = openPlace(path);
  try {
    return openToLook(place);
  } finally {
    closeSync(place);
  }
}

/** The folder may not be read, is gone, or is no folder any more. */
function isRefusal(error: unknown): boolean {
  if (error instanceof UnsafeFileError) return true;
  return ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EIO', 'ESTALE'].includes(codeOf(error) ?? '');
}

function describe(path: KernelPath, stats: BigIntStats): Entry | undefined {
  if (stats.isSymbolicLink()) {
    try {
      return { kind: 'link', target: fromBytes(readlinkSync(path, { encoding: 'buffer' })) };
    } catch {
      return undefined;
    }
  }
  if (!stats.isFile()) return { kind: 'other' };
  return {
    kind: 'file',
    mode: Number(stats.mode & 0o7777n),
    size: Number(stats.size),
    stamp: stampOf(stats),
  };
}
