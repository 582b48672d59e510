import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions';
import type { RevertOrder, RevertOutcome } from '../../host/snapshot/orders';
import { startSnapshotWork } from '../../host/snapshot/snapshotThread';
import { listSnapshots } from '../../host/snapshot/store';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import type { LeftReason } from '../../snapshot/revertPlan';
import type { ReviewPoint } from './reviewPoint';
import { explain, leftText } from './reviewTexts';
import type { Say } from '../say';

export interface RevertingOptions {
  readonly say: Say;
  /** path of the bundled thread */
  readonly script: string;
  /** compares again, and shows what has changed by now */
  readonly reviewAgain: () => Promise<void>;
}

/** Undoes changes in a folder, says what could not be undone, and takes that back again. */
export class Reverting {
  constructor(private readonly options: RevertingOptions) {}

  /**
   * Undoes changes, after a snapshot of what is there. What could not be brought back again is only undone when the
   * user says so.
   * @param point since when: that of the changes, whatever is being reviewed by now
   * @throws UserError
   */
  async revert(point: ReviewPoint, paths: RevertOrder['paths']): Promise<void> {
    const undoId = newId();
    const outcome = await this.undo(point, { paths, force: false, undoId });
    const unsaved = outcome.left.filter(({ reason }) => reason === 'notSaved').map(({ path }) => path);
    const { say } = this.options;
    const text = message(
      '{0} files are too large to be kept. Reverting them can’t be undone.',
      unsaved.length,
    );
    if (unsaved.length > 0 && (await say.confirm(text, vscode.l10n.t('Revert Anyway')))) {
      await this.undo(point, { paths: unsaved, force: true, undoId });
    }
    this.tellLeft(outcome, 'notSaved');
    if (outcome.done > 0) {
      void say.information(message('Files and folders that are again what they were: {0}.', outcome.done), {
        kind: 'runCommand',
        command: commandIds.undoRevert,
      });
    }
  }

  /** Undoes the last undoing in the folder of a review. @throws UserError */
  async undoLast(point: ReviewPoint): Promise<void> {
    const last = listSnapshots(point.store).findLast(({ reason }) => reason === 'revert');
    if (!last) {
      throw new UserError('review.nothingReverted', message('Nothing was reverted in this folder.'));
    }
    const order = { paths: 'touched', force: false, undoId: newId() } as const;
    this.tellLeft(await this.undo({ ...point, id: last.id }, order));
  }

  private async undo(
    { store, id }: ReviewPoint,
    order: Pick<RevertOrder, 'paths' | 'force' | 'undoId'>,
  ): Promise<RevertOutcome> {
    const { script } = this.options;
    const outcome = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reverting') },
      () => startSnapshotWork({ type: 'revert', store, id, ...order }, { script }).result.catch(explain),
    );
    await this.options.reviewAgain();
    return outcome;
  }

  /** Says how many files stayed as they are, and why. */
  private tellLeft({ left }: RevertOutcome, said?: LeftReason): void {
    const first = left.find(({ reason }) => reason !== said);
    if (first) {
      const count = left.filter(({ reason }) => reason === first.reason).length;
      void this.options.say.information(leftText(first.reason, count));
    }
  }
}

/** For a snapshot. */
function newId(): string {
  return randomBytes(8).toString('hex');
}
