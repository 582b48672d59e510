import { closeSync } from 'node:fs';
import { constants as system } from 'node:os';
import { countFiles, diffManifests } from '../../snapshot/diff';
import { type Manifest, type SnapshotSummary, summarise } from '../../snapshot/manifest';
import { planRevert, type RevertPlan } from '../../snapshot/revertPlan';
import { openWorkspace } from './contents';
import type {
  CompareOrder,
  Comparison,
  RevertOrder,
  RevertOutcome,
  SnapshotFailure,
  TakeOrder,
} from './orders';
import { readContent, readPacks } from './packs';
import { carryOut } from './revert';
import { cleanEnds, lastEnd } from './runEnds';
import { cleanStore, cleanStores, findManifest } from './store';
import { lookAgain, type Progress, takeSnapshot, takeSnapshotLike } from './take';

/** Work that can't be done, and why. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';

  constructor(
    readonly failure: SnapshotFailure,
    reason: string,
  ) {
    super(reason);
  }
}

/** An agent can change half a million files: a window that gets them all at once stands still for seconds. */
const mostListed = 20_000;

/** All workspaces together may take so many times what one snapshot may. */
const allTimesOne = 8;

/** Takes a snapshot. */
export function take({ order, living }: TakeOrder, onProgress?: Progress): SnapshotSummary {
  const since = lastEnd(order.store, new Set(living), Date.now());
  return summarise(takeSnapshot(order, since, onProgress));
}

/** Removes what is not needed any more; the new snapshot is there by then. */
export function cleanUp({ order, directory, living: others }: TakeOrder): void {
  const living = new Set([order.id, ...others]);
  cleanStore(order.store, living, order.time);
  cleanEnds(order.store);
  cleanStores(directory, order.store, living, order.limits.maximumBytes * allTimesOne);
}

/** @throws SnapshotError */
export function compare({ store, id }: CompareOrder): Comparison {
  const before = requireManifest(store, id);
  const present = lookAgain(before);
  requireSame(before, present);
  const changes = diffManifests(before, present);
  return {
    changes: changes.slice(0, mostListed),
    unlisted: Math.max(0, changes.length - mostListed),
    files: countFiles(changes),
    isTruncated: before.isTruncated || present.isTruncated,
    since: before.time,
  };
}

/** Only who holds the claim of the store may do so. @throws SnapshotError */
export function revert({ store, id, paths, force, undoId }: RevertOrder): RevertOutcome {
  const before = requireManifest(store, id);
  const wanted = new Set(paths === 'touched' ? before.touched : paths);
  let plan: RevertPlan = { steps: [], left: [], touched: [] };
  takeSnapshotLike(before, { store, id: undoId }, (present) => {
    requireSame(before, present);
    plan = planRevert({ before, present, paths: wanted, force });
    return plan.touched;
  });
  const { root, device, inode } = openWorkspace(before.workspace);
  try {
    requireSame(before, { device, inode });
    const packs = readPacks(store);
    return carryOut(root, plan, (sha256) => {
      const location = packs.get(sha256);
      if (!location) throw new Error('a content is gone');
      return readContent(store, sha256, location);
    });
  } finally {
    closeSync(root);
  }
}

function requireManifest(store: string, id: string): Manifest {
  const manifest = findManifest(store, id);
  if (!manifest) throw new SnapshotError('missing', `no snapshot ${id}`);
  return manifest;
}

type Identity = Pick<Manifest, 'device' | 'inode'>;

function requireSame(before: Identity, present: Identity): void {
  if (before.inode !== present.inode || before.device !== present.device) {
    throw new SnapshotError('replaced', 'the folder is another one');
  }
}

/** What kind of failure an error is. */
export function failureOf(error: unknown): SnapshotFailure {
  if (error instanceof SnapshotError) return error.failure;
  // by number: Node has no name for EDQUOT
  const number = error instanceof Error && 'errno' in error ? error.errno : undefined;
  return number === -system.errno.ENOSPC || number === -system.errno.EDQUOT ? 'noRoom' : 'failed';
}
