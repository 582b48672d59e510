import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { contextKeys, viewIds } from '../../contributions';
import type { Comparison, RevertOutcome } from '../../host/snapshot/orders';
import { readPacks } from '../../host/snapshot/packs';
import { startSnapshotWork } from '../../host/snapshot/snapshotThread';
import { listSnapshots } from '../../host/snapshot/store';
import { message } from '../../sandbox/message';
import { Cancelled, UserError } from '../../sandbox/userError';
import type { BytePath } from '../../snapshot/bytePath';
import { isText } from '../../snapshot/bytePath';
import type { Change } from '../../snapshot/diff';
import type { LeftReason } from '../../snapshot/revertPlan';
import { pathsOf, stateOf } from './changeRows';
import type { ChangesView } from './changesView';
import { KeptChanges } from './keptChanges';
import { explain, leftText } from './reviewTexts';
import type { Say } from '../say';
import type { SnapshotFiles } from './snapshotFiles';

/** A snapshot with which a folder is compared. */
export interface ReviewPoint {
  /** real path */
  readonly workspace: string;
  /** where the snapshots of this workspace are */
  readonly store: string;
  /** of the snapshot */
  readonly id: string;
}

export interface ReviewOptions {
  readonly view: ChangesView;
  readonly files: SnapshotFiles;
  readonly say: Say;
  /** of the workspace: which changes somebody wants to keep */
  readonly memory: vscode.Memento;
  /** path of the bundled thread */
  readonly script: string;
}

/** More than an editor can show in reasonable time. */
const mostInEditor = 300;

/** What has changed in a folder since a snapshot of it, to be kept or undone. */
export class Review {
  private point: ReviewPoint | undefined;
  private comparison: Comparison | undefined;

  private readonly kept: KeptChanges;

  constructor(private readonly options: ReviewOptions) {
    this.kept = new KeptChanges(options.memory);
  }

  /** Those that nobody has chosen to keep. */
  get changes(): readonly Change[] {
    const { point, comparison } = this;
    return point && comparison ? this.kept.others(point.id, comparison.changes) : [];
  }

  /** What has changed since a snapshot, without showing it. @throws UserError */
  async compare({ store, id }: ReviewPoint): Promise<Comparison> {
    const { script } = this.options;
    return startSnapshotWork({ type: 'compare', store, id }, { script }).result.catch(explain);
  }

  /** Shows what has changed since a snapshot: in the view, and all of it in one editor. @throws UserError */
  async open(point: ReviewPoint): Promise<void> {
    await this.look(point);
    await this.options.view.reveal();
    await this.openAll();
  }

  /** The folder that is being reviewed. */
  get workspace(): string | undefined {
    return this.point?.workspace;
  }

  /** Shows in the view what has changed by now; editors that are open stay. @throws UserError */
  async refresh(): Promise<void> {
    const { point } = this;
    if (!point) return;
    const comparison = await this.compare(point);
    // another review was begun meanwhile
    if (this.point !== point || textOf(comparison) === textOf(this.comparison)) return;
    this.comparison = comparison;
    this.show();
  }

  /** Shows one change. */
  async openOne(change: Change): Promise<void> {
    const { resource, before, after } = this.options.files.sides(change, this.required());
    // a picture that is new is looked at as what it is
    const isNewFile = change.before === undefined && change.after?.kind === 'file';
    if (isNewFile && isText(change.path)) await vscode.commands.executeCommand('vscode.open', resource);
    else if (before && after) await vscode.commands.executeCommand('vscode.diff', before, after);
    else await vscode.commands.executeCommand('vscode.open', after ?? before ?? resource);
  }

  /** These changes are as they should be. */
  async keep(changes: readonly Change[]): Promise<void> {
    await this.kept.add(this.required().id, changes);
    this.show();
  }

  /**
   * Undoes changes, after a snapshot of what is there. What could not be brought back again is only undone when the
   * user says so.
   * @throws UserError
   */
  async revert(changes: readonly Change[]): Promise<void> {
    const outcome = await this.undo(this.required(), pathsOf(changes), false);
    const unsaved = outcome.left.filter(({ reason }) => reason === 'notSaved').map(({ path }) => path);
    const { say } = this.options;
    const text = message(
      '{0} files are too large to be kept. Reverting them can’t be undone.',
      unsaved.length,
    );
    if (unsaved.length > 0 && (await say.confirm(text, vscode.l10n.t('Revert Anyway')))) {
      await this.undo(this.required(), unsaved, true);
    }
    this.tellLeft(outcome, 'notSaved');
  }

  /** Undoes the last undoing in this folder. @throws UserError, Cancelled */
  async undoRevert(): Promise<void> {
    const point = this.required();
    const last = listSnapshots(point.store).findLast(({ reason }) => reason === 'revert');
    if (!last) {
      throw new UserError('review.nothingReverted', message('Nothing was reverted in this folder.'));
    }
    this.tellLeft(await this.undo({ ...point, id: last.id }, 'touched', false));
  }

  private async undo(
    { store, id }: ReviewPoint,
    paths: readonly BytePath[] | 'touched',
    force: boolean,
  ): Promise<RevertOutcome> {
    const undoId = randomBytes(8).toString('hex');
    const { script } = this.options;
    const outcome = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reverting') },
      () =>
        startSnapshotWork({ type: 'revert', store, id, paths, force, undoId }, { script }).result.catch(
          explain,
        ),
    );
    await this.look(this.required());
    await this.renewEditor();
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

  private async look(point: ReviewPoint): Promise<void> {
    const comparison = await vscode.window.withProgress(
      { location: { viewId: viewIds.changes }, title: vscode.l10n.t('Comparing') },
      () => this.compare(point),
    );
    this.point = point;
    this.comparison = comparison;
    this.options.files.clear();
    await vscode.commands.executeCommand('setContext', contextKeys.reviewing, true);
    this.show();
  }

  private show(): void {
    const { comparison } = this;
    if (!comparison) return;
    const since = new Date(comparison.since).toLocaleString();
    const remarks = [
      this.changes.length + comparison.unlisted === 0
        ? vscode.l10n.t('Nothing to review since {0}.', since)
        : vscode.l10n.t('Changed since {0}, by the agent or anybody else:', since),
      ...(comparison.isTruncated
        ? [vscode.l10n.t('The folder has too many files to look at all of them.')]
        : []),
    ];
    this.options.view.show(this.changes, comparison.unlisted, remarks.join('\n'));
  }

  /** An editor that shows all changes shows those that there are now. */
  private async renewEditor(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    // VS Code adds how many files there are
    const shown = tabs.filter(({ label }) => label.startsWith(this.editorTitle));
    if (shown.length === 0) return;
    await vscode.window.tabGroups.close(shown, true);
    await this.openAll();
  }

  private get editorTitle(): string {
    return vscode.l10n.t('Changes in the Sandbox');
  }

  private async openAll(): Promise<void> {
    const point = this.required();
    const packs = readPacks(point.store);
    const shown = this.changes.slice(0, mostInEditor);
    if (shown.length === 0) return;
    const sides = shown.map((change) => this.options.files.sides(change, point, packs));
    await vscode.commands.executeCommand(
      'vscode.changes',
      this.editorTitle,
      sides.map(({ resource, before, after }) => [resource, before, after]),
    );
  }

  private required(): ReviewPoint {
    if (!this.point) throw new Cancelled('nothing is being reviewed');
    return this.point;
  }
}

function textOf(comparison: Comparison | undefined): string {
  const changes = comparison?.changes.map((change) => [change.path, change.kind, stateOf(change)]);
  return JSON.stringify([comparison?.isTruncated, comparison?.unlisted, changes]);
}
