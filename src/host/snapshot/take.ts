import { closeSync } from 'node:fs';
import { type BytePath, nameOf } from '../../snapshot/bytePath';
import type { Manifest, SnapshotLimits, SnapshotReason } from '../../snapshot/manifest';
import { openWorkspace, readContents } from './contents';
import { PackWriter, readPacks } from './packs';
import { latestManifest, saveManifest } from './store';
import type { RunTimes } from './runNotes';
import { walk, type WalkOptions } from './walk';
import type { EarlierRules } from './walkRules';

/** What a snapshot is to be. */
export interface SnapshotOrder {
  /** real path of the folder */
  readonly workspace: string;
  /** where its snapshots are, as `store.ts` says it */
  readonly store: string;
  /** paths below it that are not looked into, such as an agent's home */
  readonly closed: readonly BytePath[];
  readonly id: string;
  readonly reason: SnapshotReason;
  readonly limits: SnapshotLimits;
  readonly time: number;
}

/** How far it is. */
export type Progress = (files: number, bytes: number) => void;

/**
 * Takes a snapshot of a folder: every file below it that is not ignored, with its content as far as the limits go.
 * Contents that the store has are not read again. Only who holds the claim of the store may do so.
 * @param runs when other sandboxes could change anything
 * @throws what the kernel says when the store can't be written
 */
export function takeSnapshot(order: SnapshotOrder, runs: RunTimes, onProgress?: Progress): Manifest {
  const earlier = latestManifest(order.store);
  const look = firstLook(order);
  const ignoreFiles = look.ignoreFiles === 'read' ? usersRules(earlier, runs) : look.ignoreFiles;
  return keepContents(order, { ...look, ignoreFiles, earlier }, onProgress);
}

/** What the agent has made of .gitignore files in an earlier run hides nothing, either. */
function usersRules(earlier: Manifest | undefined, { first, last }: RunTimes): EarlierRules {
  return earlier?.limits.respectsIgnoreFiles === true
    ? { earlier: earlier.ignoreFiles, until: 0, since: last }
    : { earlier: new Map(), until: first, since: last };
}

/**
 * Takes a snapshot of what an earlier one looked at, by its rules, so that undoing can be undone.
 * @param touchedOf says which paths are about to be changed
 */
export function takeSnapshotLike(
  before: Manifest,
  { store, id }: Pick<SnapshotOrder, 'store' | 'id'>,
  touchedOf: (present: Manifest) => readonly BytePath[],
): Manifest {
  const order = { ...before, store, id, reason: 'revert', time: Date.now() } as const;
  return keepContents(order, { ...likeBefore(before), touchedOf, opensUp: true });
}

/** Looks what is in a folder, and keeps nothing. */
export function lookOnce(order: Omit<SnapshotOrder, 'store'>): Manifest {
  return lookAt(order, firstLook(order), comparedLimits(order.limits), {});
}

/** Looks what is in a folder now, by the rules of an earlier look, and keeps nothing. */
export function lookAgain(before: Manifest): Manifest {
  const order = { ...before, time: Date.now() };
  return lookAt(order, likeBefore(before), comparedLimits(before.limits), {});
}

interface Look {
  readonly earlier: Manifest | undefined;
  readonly isClosed: (path: BytePath) => boolean;
  readonly ignoreFiles: WalkOptions['ignoreFiles'];
  readonly isKnown?: (path: BytePath) => boolean;
  readonly touchedOf?: (present: Manifest) => readonly BytePath[];
  readonly opensUp?: boolean;
}

function firstLook({ closed, limits }: Pick<SnapshotOrder, 'closed' | 'limits'>): Look {
  const homes = new Set(closed);
  return {
    earlier: undefined,
    isClosed: (path) => homes.has(path) || nameOf(path) === '.git',
    ignoreFiles: limits.respectsIgnoreFiles ? 'read' : { given: new Map() },
  };
}

/** What the agent has made of .gitignore files hides nothing, nor does a repository that it has made. */
function likeBefore(before: Manifest): Look {
  const homes = new Set(before.closed);
  return {
    earlier: before,
    isClosed: (path) => homes.has(path) || before.entries.get(path)?.kind === 'closed',
    ignoreFiles: { given: before.ignoreFiles },
    isKnown: (path) => before.entries.has(path),
  };
}

/** So much more is read to compare it than is kept: an agent can make any number of files. */
const comparedTimesKept = 4;

function comparedLimits(limits: SnapshotLimits): SnapshotLimits {
  return { ...limits, maximumBytes: limits.maximumBytes * comparedTimesKept };
}

function keepContents(order: SnapshotOrder, look: Look, onProgress?: Progress): Manifest {
  const { store } = order;
  const packs = readPacks(store);
  const writer = new PackWriter(store, packs);
  const keep = {
    has: (sha256: string) => packs.has(sha256),
    add: (sha256: string, content: Buffer) => writer.add(sha256, content),
  };
  try {
    const found = lookAt(order, look, order.limits, { keep, ...(onProgress ? { onProgress } : {}) });
    writer.finish();
    const manifest = { ...found, touched: look.touchedOf?.(found) ?? [] };
    saveManifest(store, manifest);
    return manifest;
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

function lookAt(
  { id, reason, workspace, time, closed, limits }: Omit<SnapshotOrder, 'store'>,
  { earlier, isClosed, ignoreFiles, isKnown, opensUp = false }: Look,
  { maximumBytes, maximumFileBytes }: SnapshotLimits,
  reading: Pick<Parameters<typeof readContents>[2], 'keep' | 'onProgress'>,
): Manifest {
  const { root, device, inode } = openWorkspace(workspace);
  try {
    const { onProgress } = reading;
    const walked = walk(root, {
      isClosed,
      ignoreFiles,
      ...(isKnown ? { isKnown } : {}),
      ...(onProgress ? { onProgress: (entries: number) => onProgress(entries, 0) } : {}),
    });
    readContents(root, walked.entries, { maximumBytes, maximumFileBytes, earlier, opensUp, ...reading });
    return { id, reason, workspace, device, inode, time, closed, limits, touched: [], ...walked };
  } finally {
    closeSync(root);
  }
}
