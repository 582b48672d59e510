import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compare, revert, take } from '../../src/host/snapshot/work';
import type { Comparison, RevertOrder, RevertOutcome } from '../../src/host/snapshot/orders';
import { listSnapshots } from '../../src/host/snapshot/store';
import { fromText, toText } from '../../src/snapshot/bytePath';
import { type Change, pathsOf } from '../../src/snapshot/diff';
import type { KeptStates } from '../../src/snapshot/keptStates';
import { maximumFileBytes, type SnapshotLimits, type SnapshotSummary } from '../../src/snapshot/manifest';

export const usualLimits: SnapshotLimits = {
  maximumBytes: 256 * 2 ** 20,
  maximumFileBytes,
  respectsIgnoreFiles: true,
};

/** A workspace of which snapshots are taken in this thread. */
export class SnapshotWorld {
  readonly workspace: string;
  readonly directory: string;
  readonly store: string;
  private taken = 0;

  /** @param root an empty folder */
  constructor(root: string) {
    this.workspace = join(root, 'workspace');
    this.directory = join(root, 'snapshots');
    this.store = join(this.directory, '0'.repeat(16));
    mkdirSync(this.workspace);
    mkdirSync(this.store, { recursive: true });
  }

  path(...names: string[]): string {
    return join(this.workspace, ...names);
  }

  /** @returns what it came to; its `id` names it from now on */
  take(
    limits: Partial<SnapshotLimits> = {},
    onProgress?: (files: number, bytes: number) => void,
    living: readonly string[] = [],
  ): SnapshotSummary {
    const { workspace, store, directory } = this;
    const order = {
      ...{ workspace, store, id: this.nextId(), time: Date.now() + this.taken },
      closed: [fromText('agent-home')],
      reason: 'start',
      limits: { ...usualLimits, ...limits },
    } as const;
    return take({ type: 'take', order, directory, living }, onProgress);
  }

  /** @param mostListed default: all */
  compare(id: string, kept: KeptStates = new Map(), mostListed = Infinity): Comparison {
    return compare({ type: 'compare', store: this.store, id, kept, mostListed });
  }

  changes(id: string): readonly Change[] {
    return this.compare(id).changes;
  }

  /** The changes as words: `new a.txt`, `renamed b.txt from a.txt`. */
  changeWords(id: string): string[] {
    return this.changes(id).map(({ kind, path, from }) =>
      [kind, toText(path), ...(from === undefined ? [] : ['from', toText(from)])].join(' '),
    );
  }

  /** @param paths default: all that has changed */
  revert(id: string, paths?: RevertOrder['paths'], force = false, undoId = this.nextId()): RevertOutcome {
    const { store } = this;
    const all = paths ?? pathsOf(this.changes(id));
    return revert({ type: 'revert', store, id, paths: all, force, undoId });
  }

  /** The id of the last snapshot that was taken before something was reverted. */
  lastRevert(): string {
    const last = listSnapshots(this.store).findLast(({ reason }) => reason === 'revert');
    if (!last) throw new Error('nothing was reverted');
    return last.id;
  }

  private nextId(): string {
    this.taken += 1;
    return String(this.taken).padStart(16, '0');
  }
}
