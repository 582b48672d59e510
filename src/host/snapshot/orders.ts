import type { BytePath } from '../../snapshot/bytePath';
import type { Change } from '../../snapshot/diff';
import type { KeptStates } from '../../snapshot/keptStates';
import type { SnapshotSummary } from '../../snapshot/manifest';
import type { Left } from '../../snapshot/revertPlan';
import type { SnapshotOrder } from './take';

/** Takes a snapshot. */
export interface TakeOrder {
  readonly type: 'take';
  readonly order: SnapshotOrder;
  /** the folder of all stores */
  readonly directory: string;
  /** ids of the sandboxes that ran at the time of the order: their snapshots are kept */
  readonly living: readonly string[];
}

interface SnapshotPoint {
  /** where the snapshots of the workspace are, as `store.ts` says it */
  readonly store: string;
  /** of the snapshot */
  readonly id: string;
}

/** Says what has changed since a snapshot. */
export interface CompareOrder extends SnapshotPoint {
  readonly type: 'compare';
  /** these are not listed, and take no room from those that are */
  readonly kept: KeptStates;
  /** so many changes are listed */
  readonly mostListed: number;
}

/** Brings paths back to what they were, after a snapshot of what they are. */
export interface RevertOrder extends SnapshotPoint {
  readonly type: 'revert';
  /**
   * `touched`: all that the snapshot's own undoing has changed, when it is one of before an undoing. `allBut`: all that
   * has changed, listed or not, but what is to be kept; nothing unless that are the changes of the comparison's digest.
   */
  readonly paths: readonly BytePath[] | 'touched' | { readonly allBut: KeptStates; readonly digest: string };
  /** also what could not be brought back again */
  readonly force: boolean;
  /**
   * for the snapshot that is taken before, 16 hex digits; that of an earlier order, when both are one to the user: then
   * its snapshot undoes both
   */
  readonly undoId: string;
}

export type SnapshotWork = TakeOrder | CompareOrder | RevertOrder;

/** What has changed since a snapshot. */
export interface Comparison {
  /** by path, so many as are listed at a time */
  readonly changes: readonly Change[];
  /** how many changes there are besides, those that are kept not counted */
  readonly unlisted: number;
  /** of all changes, listed or not, that are not kept: as `digestOf` makes it */
  readonly digest: string;
  /** how many files and links have changed, listed, kept or not */
  readonly files: number;
  /** there is more than was looked at */
  readonly isTruncated: boolean;
  /** rules of .gitignore files took too long to match: what is new is not all listed, nor undone */
  readonly hidesNew: boolean;
  /** milliseconds since the epoch: when the snapshot was taken */
  readonly since: number;
}

export interface RevertOutcome {
  readonly done: number;
  readonly left: readonly Left[];
}

/**
 * Why there is no result. `missing`: the snapshot is gone. `replaced`: the folder is another one by now. `others`: what
 * has changed is not what was to be reverted.
 */
export type SnapshotFailure = 'missing' | 'replaced' | 'others' | 'noRoom' | 'failed';

export interface SnapshotResults {
  readonly take: SnapshotSummary;
  readonly compare: Comparison;
  readonly revert: RevertOutcome;
}

/** What the thread says. */
export type FromThread =
  | { readonly type: 'progress'; readonly files: number; readonly bytes: number }
  | { readonly type: 'result'; readonly result: SnapshotResults[SnapshotWork['type']] }
  | { readonly type: 'failed'; readonly failure: SnapshotFailure; readonly reason: string };
