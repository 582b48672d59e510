import * as vscode from 'vscode';
import { contextKeys, viewIds } from '../../contributions';
import type { Comparison, RevertOrder } from '../../host/snapshot/orders';
import { startSnapshotWork } from '../../host/snapshot/snapshotThread';
import { Cancelled, UserError } from '../../sandbox/userError';
import { type Change, pathsOf } from '../../snapshot/diff';
import { withoutKept } from '../../snapshot/keptStates';
import { ChangesEditor } from './changesEditor';
import type { ChangesView } from './changesView';
import { KeptChanges } from './keptChanges';
import { LastReview, type ReviewedRun } from './lastReview';
import { Reverting } from './reverting';
import type { ReviewPoint } from './reviewPoint';
import { explain } from './reviewTexts';
import type { Say } from '../say';
import { setContext } from '../setContext';
import type { SnapshotFiles } from './snapshotFiles';

export interface ReviewOptions {
  readonly view: Pick<ChangesView, 'show' | 'reveal'>;
  readonly files: SnapshotFiles;
  readonly say: Say;
  /** of the workspace: what is being reviewed, and which changes somebody wants to keep */
  readonly memory: vscode.Memento;
  /** path of the bundled thread */
  readonly script: string;
  /** so many changes are listed at a time; default: 20,000 */
  readonly mostListed?: number;
}

/** All changes that somebody is asked about: what comes later does not belong to them. */
export interface AllChanges {
  /** listed or not */
  readonly count: number;
  readonly point: ReviewPoint;
  readonly paths: Exclude<RevertOrder['paths'], 'touched'>;
}

/** An agent can change half a million files: a window that gets them all at once stands still for seconds. */
const mostListed = 20_000;

/** What has changed in a folder since a snapshot of it, to be kept or undone. */
export class Review {
  private point: ReviewPoint | undefined;
  private comparison: Comparison | undefined;
  /**
   * of the comparison that is shown, of the one with which the review was opened, and of the last that was begun: one can
   * be overtaken by a later one
   */
  private shownLook = 0;
  private openedLook = 0;
  private lastLook = 0;

  private readonly kept: KeptChanges;
  private readonly last: LastReview;
  private readonly editor: ChangesEditor;
  private readonly reverting: Reverting;

  constructor(private readonly options: ReviewOptions) {
    this.kept = new KeptChanges(options.memory);
    this.last = new LastReview(options.memory);
    this.editor = new ChangesEditor(options.files);
    this.reverting = new Reverting({
      ...{ say: options.say, script: options.script },
      reviewAgain: () => this.reviewAgain(),
    });
  }

  /** Those that nobody has chosen to keep, as far as they are listed. */
  get changes(): readonly Change[] {
    const { point, comparison } = this;
    return point && comparison ? withoutKept(comparison.changes, this.kept.of(point.id)) : [];
  }

  /** How many changes nobody has chosen to keep, listed or not. */
  get count(): number {
    return this.changes.length + this.unlisted;
  }

  /** Those that nobody has chosen to keep, listed or not, as they are now; undefined when there are none. */
  get all(): AllChanges | undefined {
    const { point, comparison, changes, count } = this;
    if (!point || !comparison || count === 0) return undefined;
    const allBut = this.kept.of(point.id);
    const { unlisted, digest } = comparison;
    return { count, point, paths: unlisted === 0 ? pathsOf(changes) : { allBut, digest } };
  }

  /** How many files have changed since a snapshot, without showing them. @throws UserError */
  async countFiles(point: ReviewPoint): Promise<number> {
    return (await this.compare(point, 0)).files;
  }

  /**
   * Shows what has changed since a snapshot: in the view, and all of it in one editor; nothing when another review that was
   * opened later is there already.
   * @throws UserError
   */
  async open(point: ReviewPoint): Promise<void> {
    await this.look(point);
    if (this.point === point) await this.options.view.reveal();
    if (this.point === point) await this.editor.openAll(this.changes, point);
  }

  /**
   * Goes on with the review of before the window was reloaded, if it is of a folder that is still there. Nothing is
   * compared before somebody looks.
   *
   * @param folders real paths of those of the window
   * @param find where the snapshot is; undefined when it is not kept any more
   */
  async resume(
    folders: ReadonlySet<string>,
    find: (last: ReviewedRun) => ReviewPoint | undefined,
  ): Promise<void> {
    const last = this.last.get();
    const point = last && folders.has(last.workspace) ? find(last) : undefined;
    if (!point || this.point) return;
    this.point = point;
    await setContext(contextKeys.reviewing, true);
  }

  /** Resolves when it is known what has changed, where a review was resumed. @throws UserError */
  async ready(): Promise<void> {
    if (this.point && !this.comparison) await this.look(this.point);
  }

  /** The folder that is being reviewed. */
  get workspace(): string | undefined {
    return this.point?.workspace;
  }

  /** Shows in the view what has changed by now; editors that are open stay. @throws UserError */
  async refresh(): Promise<void> {
    const { point } = this;
    if (!point) return;
    const look = this.nextLook();
    const comparison = await this.compare(point);
    if (this.isOvertaken(look, point)) return;
    this.shownLook = look;
    if (this.comparison && isSame(comparison, this.comparison)) return;
    this.comparison = comparison;
    await this.show();
  }

  /** Shows one change. */
  async openOne(change: Change): Promise<void> {
    await this.editor.openOne(change, this.required());
  }

  /** These changes are as they should be. What was not listed for their sake is listed now. @throws UserError */
  async keep(changes: readonly Change[]): Promise<void> {
    const point = this.required();
    await this.kept.add(point.id, changes);
    if (this.unlisted > 0) await this.look(point);
    else await this.show();
  }

  /**
   * Undoes changes, after a snapshot of what is there. What could not be brought back again is only undone when the
   * user says so.
   * @throws UserError
   */
  async revert(changes: readonly Change[]): Promise<void> {
    await this.reverting.revert(this.required(), pathsOf(changes));
  }

  /**
   * As {@link revert}, exactly what somebody was asked about.
   * @returns false when that is not what has changed by now, and not all of it is listed: then nothing is undone
   * @throws UserError
   */
  async revertAll({ point, paths }: AllChanges): Promise<boolean> {
    try {
      await this.reverting.revert(point, paths);
      return true;
    } catch (error) {
      if (!(error instanceof UserError && error.code === 'review.others')) throw error;
      await this.refresh();
      return false;
    }
  }

  /** Undoes the last undoing in this folder. @throws UserError, Cancelled */
  async undoRevert(): Promise<void> {
    await this.reverting.undoLast(this.required());
  }

  private async compare({ store, id }: ReviewPoint, most?: number): Promise<Comparison> {
    const { script } = this.options;
    const order = { kept: this.kept.of(id), mostListed: most ?? this.options.mostListed ?? mostListed };
    return startSnapshotWork({ type: 'compare', store, id, ...order }, { script }).result.catch(explain);
  }

  private async look(point: ReviewPoint): Promise<void> {
    const look = this.nextLook();
    const opens = point !== this.point;
    const comparison = await vscode.window.withProgress(
      { location: { viewId: viewIds.changes }, title: vscode.l10n.t('Comparing') },
      () => this.compare(point),
    );
    if (opens ? look < this.openedLook : this.isOvertaken(look, point)) return;
    if (opens) this.openedLook = look;
    this.point = point;
    this.comparison = comparison;
    this.shownLook = look;
    this.options.files.clear();
    await this.show();
    await setContext(contextKeys.reviewing, true);
  }

  /** Another review was opened meanwhile, or a later look at this one is shown already. */
  private isOvertaken(look: number, point: ReviewPoint): boolean {
    return this.point !== point || look < this.shownLook;
  }

  private async reviewAgain(): Promise<void> {
    const point = this.required();
    await this.look(point);
    if (this.point === point) await this.editor.renew(this.changes, point);
  }

  /** Shows what is known, and remembers the review for as long as there is something to review. */
  private async show(): Promise<void> {
    const { point, comparison } = this;
    if (!point || !comparison) return;
    const since = new Date(comparison.since).toLocaleString();
    const remarks = [
      this.count === 0
        ? vscode.l10n.t('Nothing to review since {0}.', since)
        : vscode.l10n.t('Changed since {0}, by the agent or anybody else:', since),
      ...(comparison.isTruncated
        ? [vscode.l10n.t('The folder has too many files to look at all of them.')]
        : []),
      ...(comparison.hidesNew
        ? [
            vscode.l10n.t(
              'What .gitignore files exclude takes too long to find out: new files are not all listed, and none of those is reverted.',
            ),
          ]
        : []),
    ];
    this.options.view.show(this.changes, comparison.unlisted, remarks.join('\n'));
    await this.last.set(this.count === 0 ? undefined : point);
  }

  private get unlisted(): number {
    return this.comparison?.unlisted ?? 0;
  }

  private nextLook(): number {
    this.lastLook += 1;
    return this.lastLook;
  }

  private required(): ReviewPoint {
    if (!this.point) throw new Cancelled('nothing is being reviewed');
    return this.point;
  }
}

/** Whether two looks since the same snapshot have found the same, listed or not. */
function isSame(one: Comparison, other: Comparison): boolean {
  return (
    one.digest === other.digest && one.isTruncated === other.isTruncated && one.hidesNew === other.hidesNew
  );
}
