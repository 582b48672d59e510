import { SnapshotError } from '../../host/snapshot/snapshotError';
import type { RunRecord } from '../../host/runRecords';
import { type Message, message } from '../../sandbox/message';
import type { SandboxKind } from '../../sandbox/specification';
import { UserError } from '../../sandbox/userError';
import type { SnapshotName } from '../../snapshot/manifestText';
import type { LeftReason } from '../../snapshot/revertPlan';

/**
 * Throws what went wrong with a comparison or an undoing in words for people.
 *
 * @throws UserError `review.…`; what is not of the snapshots as it is
 */
export function explain(error: unknown): never {
  if (!(error instanceof SnapshotError)) throw error;
  const texts = {
    missing: message('What was in the folder at that time is not kept any more.'),
    replaced: message('The folder is not the one that it was at that time. Nothing was changed.'),
    others: message('What has changed is not the same any more. Nothing was reverted.'),
    noRoom: message('There is no room to keep what is in the folder now, so nothing was reverted.'),
    failed: message('The folder could not be compared with what it was. The log says why.'),
  };
  throw new UserError(`review.${error.failure}`, texts[error.failure], { kind: 'showLog' }, { cause: error });
}

/** Why so many files stay as they are. */
export function leftText(reason: LeftReason, count: number): Message {
  switch (reason) {
    case 'notKept':
      return message('{0} files stay as they are: what they were is not kept.', count);
    case 'notSaved':
      return message('{0} files stay as they are: they are too large to be kept.', count);
    case 'special':
      return message('{0} special files can’t be made again.', count);
    case 'closed':
      return message('{0} folders stay as they are: they can’t be looked into.', count);
    case 'changed':
      return message(
        '{0} files stay as they are: they were changed at the same moment. Review again.',
        count,
      );
    case 'failed':
      return message(
        '{0} files could not be reverted. Look who may write there, and whether the disk is full.',
        count,
      );
  }
}

/** A snapshot as far as the user chooses by it. */
type Snapshot = Pick<SnapshotName, 'id' | 'reason'>;

/** What is needed of the records of sandboxes: the snapshot of a start has its sandbox's id. */
type Runs = readonly Pick<RunRecord, 'id' | 'kind'>[];

/** The moments that can be reviewed, in the order in which they are offered. */
export interface Moments<Kind extends Snapshot> {
  /** the last start of an agent, or of its task: what most people ask for, also when a shell was started since */
  readonly lastOfAgent: Kind | undefined;
  /** all others as they were given */
  readonly others: readonly Kind[];
}

/** Looks for the last start of an agent. @param snapshots the newest first */
export function sortMoments<Kind extends Snapshot>(snapshots: readonly Kind[], runs: Runs): Moments<Kind> {
  const lastOfAgent = snapshots.find((snapshot) => {
    const kind = kindOf(snapshot, runs);
    return kind === 'agent' || kind === 'task';
  });
  return { lastOfAgent, others: snapshots.filter((snapshot) => snapshot !== lastOfAgent) };
}

/** The moment at which a snapshot was taken. */
export function momentText(snapshot: Snapshot, runs: Runs): Message {
  if (snapshot.reason === 'revert') return message('Before a revert');
  const kind = kindOf(snapshot, runs);
  return kind ? startTexts[kind] : message('Start of a sandbox');
}

/** @returns undefined for what is no start, and for one of which no record is left */
function kindOf({ id, reason }: Snapshot, runs: Runs): SandboxKind | undefined {
  return reason === 'revert' ? undefined : runs.find((run) => run.id === id)?.kind;
}

const startTexts: Readonly<Record<SandboxKind, Message>> = {
  agent: message('Start of an agent'),
  shell: message('Start of a shell'),
  task: message('Start of a task'),
  run: message('Start of a program'),
  probes: message('Start of a proof'),
};
