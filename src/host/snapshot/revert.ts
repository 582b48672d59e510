import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { fromBytes, fromText, nameOf, parentOf, toBytes } from '../../snapshot/bytePath';
import type { Entry, FileEntry, LinkEntry } from '../../snapshot/manifest';
import type { Left, RevertPlan, RevertStep } from '../../snapshot/revertPlan';
import { codeOf, openPath, UnsafeFileError } from '../safeFiles';
import { OpenedFolders } from './openedFolders';
import { writeAll } from './packs';
import { changeModeOf, entryOf, FolderChain, type KernelPath, stampOf, statEntry } from '../pinned';

/** Reads a content that is kept. @throws Error when it is gone or damaged */
export type ContentOf = (sha256: string) => Buffer;

/** What became of a plan. */
export interface Reverted {
  /** files, links and folders that are as they were */
  readonly done: number;
  readonly left: readonly Left[];
}

interface Work {
  readonly chain: FolderChain;
  readonly contentOf: ContentOf;
  /** permissions are set last: folders may be read-only, and some are opened up for the work */
  readonly opened: OpenedFolders;
}

/**
 * Carries out a plan in a folder that an agent can write at the same time: no link is followed, nothing is written
 * into what is there, and what has changed since the plan was made stays.
 * @param root the folder, open
 */
export function carryOut(root: number, plan: RevertPlan, contentOf: ContentOf): Reverted {
  const opened = new OpenedFolders();
  const chain = new FolderChain(root, (folder, descriptor) => opened.openUp(folder, descriptor));
  const left: Left[] = [...plan.left];
  let done = 0;
  try {
    for (const step of plan.steps) {
      const problem = attempt(step, { chain, contentOf, opened });
      if (problem) left.push({ path: step.path, reason: problem });
      else done += 1;
    }
    opened.restore(chain);
  } finally {
    chain.close();
  }
  return { done, left };
}

function attempt(step: RevertStep, work: Work): Left['reason'] | undefined {
  try {
    return carryOutStep(step, work) ? undefined : 'changed';
  } catch (error) {
    if (error instanceof UnsafeFileError) return 'changed';
    // something else took the place of a folder on the way
    if (['ENOENT', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'EISDIR'].includes(codeOf(error) ?? ''))
      return 'changed';
    return 'failed';
  }
}

/** @returns false when what is there is not what was seen */
function carryOutStep(step: RevertStep, work: Work): boolean {
  const parent = parentOf(step.path);
  try {
    return inFolder(work.chain.enter(parent), step, work);
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    work.opened.openUp(parent, work.chain.enter(parent));
    return inFolder(work.chain.enter(parent), step, work);
  }
}

function inFolder(folder: number, step: RevertStep, work: Work): boolean {
  const entry = entryOf(folder, nameOf(step.path));
  switch (step.do) {
    case 'remove':
      if (!isStill(entry, step.expected)) return false;
      unlinkSync(entry);
      return true;
    case 'removeFolder':
      work.chain.forget(step.path);
      rmdirSync(entry);
      work.opened.forget(step.path);
      return true;
    case 'makeFolder':
      mkdirSync(entry, 0o700);
      work.opened.set(step.path, step.mode);
      return true;
    case 'write':
      if (!isStill(entry, step.expected)) return false;
      write(folder, entry, step.entry, work.contentOf);
      return true;
    case 'changeMode':
      return isStill(entry, step.expected) && changeMode(entry, step, work);
  }
}

/** Whether an entry is what it was; the times of a folder say nothing about it. */
function isStill(path: KernelPath, expected: Entry | undefined): boolean {
  const stats = statEntry(path);
  if (!stats || !expected) return !stats && !expected;
  switch (expected.kind) {
    case 'file':
      return stats.isFile() && stampOf(stats) === expected.stamp;
    case 'link':
      return (
        stats.isSymbolicLink() && fromBytes(readlinkSync(path, { encoding: 'buffer' })) === expected.target
      );
    case 'folder':
    case 'closed':
      return stats.isDirectory();
    case 'other':
      return !stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink();
  }
}

/** Puts a file or link in its place at once: whoever looks sees the one or the other, and no link is written through. */
function write(folder: number, path: KernelPath, entry: FileEntry | LinkEntry, contentOf: ContentOf): void {
  const temporary = entryOf(folder, fromText(`.sandboxed-agent-${randomBytes(8).toString('hex')}`));
  if (entry.kind === 'link') symlinkSync(toBytes(entry.target), temporary);
  else writeNew(temporary, entry, contentOf);
  try {
    renameSync(temporary, path);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

function writeNew(path: KernelPath, { mode, sha256 = '' }: FileEntry, contentOf: ContentOf): void {
  const content = contentOf(sha256);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeAll(file, content);
    // after writing, which takes setuid away
    fchmodSync(file, mode);
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

function changeMode(
  entry: KernelPath,
  { path, mode, expected }: RevertStep & { do: 'changeMode' },
  work: Work,
): boolean {
  if (expected.kind !== 'file') {
    work.opened.set(path, mode);
    return true;
  }
  const place = openSync(entry, openPath | constants.O_NOFOLLOW);
  try {
    if (stampOf(fstatSync(place, { bigint: true })) !== expected.stamp) return false;
    changeModeOf(place, mode);
    return true;
  } finally {
    closeSync(place);
  }
}
