import { type BigIntStats, closeSync, fstatSync, opendirSync, readlinkSync } from 'node:fs';
import { type BytePath, below, fromBytes, fromText, namesOf, rootPath } from '../../snapshot/bytePath';
import { type IgnoreRules, isIgnored, type MatchingWork, parseIgnoreFile } from '../../snapshot/ignoreRules';
import type { Entry } from '../../snapshot/manifest';
import { codeOf, UnsafeFileError } from '../safeFiles';
import { type LookedInto, openToLook } from './openedFolders';
import { entryOf, type KernelPath, openPlace, pinnedPath, readInto, stampOf, statEntry } from './pinned';

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

/** No .gitignore that people write is larger. */
const largestIgnoreFile = 2 ** 20;

/** So much of them is read and kept in all; what is beyond hides nothing. */
const mostIgnoreBytes = 16 * 2 ** 20;

export interface WalkOptions {
  /** whether a folder is not looked into */
  readonly isClosed: (path: BytePath) => boolean;
  /** read .gitignore files; or those that were changed since a moment, else what counted earlier; or these, by folder */
  readonly ignoreFiles: 'read' | EarlierRules | GivenRules;
  /** called for every thousand entries @throws to give up */
  readonly onProgress?: (entries: number) => void;
}

/** What .gitignore files said earlier, by folder, and since when only the user can have changed them. */
export interface EarlierRules {
  readonly earlier: ReadonlyMap<BytePath, string>;
  /** milliseconds since the epoch */
  readonly since: number;
}

/** What .gitignore files say, by folder, whatever there is. */
export interface GivenRules {
  readonly given: ReadonlyMap<BytePath, string>;
}

/** What was found; of files nothing is read yet. */
export interface Walked {
  readonly entries: Map<BytePath, Entry>;
  readonly ignoreFiles: Map<BytePath, string>;
  isTruncated: boolean;
}

interface Walk extends Walked {
  pathBytes: number;
  ignoreBytes: number;
  readonly matching: MatchingWork;
  readonly options: WalkOptions;
  readonly device: bigint;
  readonly buffer: Buffer;
}

/**
 * Looks at everything below a folder that an agent can write, without following a link or opening what is no folder.
 * What vanishes meanwhile is left out. Other file systems below are not looked into.
 * @param root an open folder
 */
export function walk(root: number, options: WalkOptions): Walked {
  const found: Walk = {
    entries: new Map(),
    ignoreFiles: new Map(),
    isTruncated: false,
    pathBytes: 0,
    ignoreBytes: 0,
    matching: { steps: 0 },
    options,
    device: fstatSync(root, { bigint: true }).dev,
    buffer: Buffer.allocUnsafe(largestIgnoreFile),
  };
  visit(openToLook(root), rootPath, [], found);
  const { entries, ignoreFiles, isTruncated } = found;
  return { entries, ignoreFiles, isTruncated };
}

function visit(
  { folder, listed, close }: LookedInto,
  path: BytePath,
  above: readonly IgnoreRules[],
  found: Walk,
): void {
  try {
    const rules = withRulesOf(folder, path, above, found);
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

function withRulesOf(
  folder: number,
  path: BytePath,
  above: readonly IgnoreRules[],
  found: Walk,
): readonly IgnoreRules[] {
  const { ignoreFiles } = found.options;
  if (found.ignoreBytes >= mostIgnoreBytes) return above;
  const text =
    ignoreFiles !== 'read' && 'given' in ignoreFiles
      ? ignoreFiles.given.get(path)
      : ruleTextIn(folder, path, ignoreFiles, found.buffer);
  if (text === undefined) return above;
  found.ignoreFiles.set(path, text);
  found.ignoreBytes += text.length;
  return [...above, parseIgnoreFile(path, text)];
}

/** The rules of a folder; those that were changed while an agent could do it are not the user's. */
function ruleTextIn(
  folder: number,
  path: BytePath,
  rules: 'read' | EarlierRules,
  buffer: Buffer,
): string | undefined {
  try {
    const file = readInto(buffer, entryOf(folder, fromText('.gitignore')));
    const isUsers = rules === 'read' || (file !== undefined && Number(file.stats.ctimeMs) > rules.since);
    return isUsers ? file?.content.toString('latin1') : file && rules.earlier.get(path);
  } catch {
    // there is none, or git could not read it either
    return undefined;
  }
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
  if (!stats || isIgnored(rules, path, stats.isDirectory(), found.matching)) return;
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
