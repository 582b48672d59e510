import { closeSync } from 'node:fs';
import { constants as system } from 'node:os';
import type { BytePath } from '../../snapshot/bytePath';
import { type Change, countFiles, diffManifests, pathsOf } from '../../snapshot/diff';
import { withoutKept } from '../../snapshot/keptStates';
import { type Manifest, type SnapshotSummary, summarise } from '../../snapshot/manifest';
import { planRevert, type RevertPlan } from '../../snapshot/revertPlan';
import { digestOf } from './changesDigest';
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
import { cleanNotes, runTimes } from './runNotes';
import { SnapshotError } from './snapshotError';
import { cleanStore, cleanStores, findManifest, saveManifest } from './store';
import { lookAgain, type Progress, takeSnapshot, takeSnapshotLike } from './take';

/** All workspaces together may take so many times what one snapshot may. */
const allTimesOne = 8;

/** Takes a snapshot. */
export function take({ order, living }: TakeOrder, onProgress?: Progress): SnapshotSummary {
  const { store, id, time } = order;
  return summarise(takeSnapshot(order, runTimes(store, new Set(living), id, time), onProgress));
}

/** Removes what is not needed any more; the new snapshot is there by then. */
export function cleanUp({ order, directory, living: others }: TakeOrder): void {
  const living = new Set([order.id, ...others]);
  cleanStore(order.store, living, order.time);
  cleanNotes(order.store);
  cleanStores(directory, order.store, living, order.limits.maximumBytes * allTimesOne);
}

/** @throws SnapshotError */
export function compare({ store, id, kept, mostListed }: CompareOrder): Comparison {
  const before = requireManifest(store, id);
  const { present, changes } = changesSince(before);
  // cut after that, else those that are kept would take the place of what comes behind them
  const others = withoutKept(changes, kept);
  return {
    changes: others.slice(0, mostListed),
    unlisted: Math.max(0, others.length - mostListed),
    digest: digestOf(others),
    files: countFiles(changes),
    isTruncated: before.isTruncated || present.isTruncated,
    hidesNew: before.hidesNew === true || present.hidesNew === true,
    since: before.time,
  };
}

function changesSince(before: Manifest): { readonly present: Manifest; readonly changes: Change[] } {
  const present = lookAgain(before);
  requireSame(before, present);
  return { present, changes: diffManifests(before, present) };
}

/** Only who holds the claim of the store may do so. @throws SnapshotError */
export function revert({ store, id, paths, force, undoId }: RevertOrder): RevertOutcome {
  const before = requireManifest(store, id);
  const wanted = new Set(wantedPaths(before, paths));
  let plan: RevertPlan = { steps: [], left: [], touched: [] };
  const touchedOf = (present: Manifest): readonly BytePath[] => {
    requireSame(before, present);
    plan = planRevert({ before, present, paths: wanted, force });
    return plan.touched;
  };
  const earlier = findManifest(store, undoId);
  if (earlier) touchMore(store, earlier, touchedOf(lookAgain(before)));
  else takeSnapshotLike(before, { store, id: undoId }, touchedOf);
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

function wantedPaths(before: Manifest, paths: RevertOrder['paths']): readonly BytePath[] {
  if (paths === 'touched') return before.touched;
  if (!('allBut' in paths)) return paths;
  // by the same look as the list: another one reads less, and would not know again what is to be kept
  const changes = withoutKept(changesSince(before).changes, paths.allBut);
  // as many can still be others: what was kept and has changed once more, instead of one that is gone
  if (digestOf(changes) !== paths.digest) {
    throw new SnapshotError('others', `${changes.length} changes, which are not those of the order`);
  }
  return pathsOf(changes);
}

/** Notes in the snapshot of before an undoing that more is about to be changed. */
function touchMore(store: string, snapshot: Manifest, touched: readonly BytePath[]): void {
  saveManifest(store, { ...snapshot, touched: [...new Set([...snapshot.touched, ...touched])] });
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
