import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { settingsSection } from '../../contributions';
import { readRunRecords } from '../../host/runRecords';
import { listSnapshots, storeOf } from '../../host/snapshot/store';
import type { SandboxRegistry } from '../../launch/sandboxRegistry';
import { recordsFolder } from '../../launch/storageFolders';
import { undoPlace } from '../../launch/undoFolder';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import { ChangesView } from './changesView';
import { LiveRefresh } from '../liveRefresh';
import type { NetworkLogs } from '../network/networkLog';
import { Review } from './review';
import { pickMoment } from './reviewPick';
import type { ReviewPoint } from './reviewPoint';
import type { Log } from '../log';
import { RunSummary } from '../sandboxes/runSummary';
import type { Say } from '../say';
import { readSettings } from '../settings';
import { SnapshotFiles } from './snapshotFiles';
import { UndoNotices } from './undoNotices';
import { realFolders } from '../window';

export interface WindowReviewOptions {
  readonly registry: SandboxRegistry;
  readonly say: Say;
  readonly logs: NetworkLogs;
  readonly log: Log;
  readonly guard: {
    findings(): readonly { readonly workspace: string }[];
    /** fires with the real path of a folder in which something has happened while a sandbox runs */
    readonly onDidHear: vscode.Event<string>;
  };
}

/** What of a window has to do with reviewing and undoing what sandboxes have changed, made and connected. */
export class WindowReview implements vscode.Disposable {
  readonly view = new ChangesView();
  readonly review: Review;
  private readonly files = new SnapshotFiles();
  private readonly notices: UndoNotices;
  private readonly live: LiveRefresh;
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly context: Pick<
      vscode.ExtensionContext,
      'workspaceState' | 'globalStorageUri' | 'asAbsolutePath'
    >,
    { say, registry, logs, log, guard }: WindowReviewOptions,
  ) {
    this.review = new Review({
      ...{ view: this.view, files: this.files, say },
      memory: context.workspaceState,
      script: context.asAbsolutePath(join('dist', 'snapshots.js')),
    });
    this.notices = new UndoNotices(registry, say);
    this.live = new LiveRefresh({
      isVisible: () => this.view.isVisible,
      refresh: () => this.review.refresh(),
      // the user has not asked for it
      onError: (error) => log.warn(String(error)),
    });
    this.listening = vscode.Disposable.from(
      this.live,
      this.view.onDidChangeVisibility(() => this.live.shown()),
      guard.onDidHear((workspace) => {
        if (workspace === this.review.workspace) this.live.heard();
      }),
    );
    this.resume().catch((error: unknown) => log.warn(String(error)));
    const summary = new RunSummary({
      countChanged: (sandbox) => this.countChanged(sandbox),
      logs,
      review: (sandbox) => this.openRun(sandbox),
      say,
      log: (line) => log.warn(line),
      findings: ({ workspace }) => guard.findings().filter((found) => found.workspace === workspace).length,
    });
    registry.onEnd(({ summary: sandbox }, end) => {
      void summary.tell(sandbox, end);
      if (sandbox.workspace === this.review.workspace) this.live.heard();
    });
  }

  /** Shows what has changed since a sandbox of a folder was started. @throws UserError */
  async openRun({ workspace, id }: { readonly workspace: string; readonly id: string }): Promise<void> {
    const point = this.pointOf(workspace, id);
    if (!this.hasSnapshot(point)) {
      throw new UserError(
        'review.noSnapshot',
        message(
          'Nothing was kept of the folder when this sandbox was started, so there is nothing to compare it with.',
        ),
      );
    }
    await this.review.open(point);
  }

  /**
   * Shows what has changed in a folder since a moment; with several, the user chooses.
   * @param workspace its real path
   * @throws UserError, Cancelled
   */
  async choose(workspace: string): Promise<void> {
    const snapshots = listSnapshots(this.storeOf(workspace)).reverse();
    const [only, ...others] = snapshots;
    if (!only) {
      throw new UserError(
        'review.noSnapshot',
        message('No sandbox has run in {0} of which anything was kept.', workspace),
      );
    }
    const runs = await readRunRecords(recordsFolder(this.context.globalStorageUri.fsPath)).catch(() => []);
    const id = others.length === 0 ? only.id : await pickMoment(snapshots, runs);
    await this.review.open(this.pointOf(workspace, id));
  }

  dispose(): void {
    vscode.Disposable.from(this.listening, this.view, this.files, this.notices).dispose();
  }

  private async resume(): Promise<void> {
    await this.review.resume(await realFolders(), ({ workspace, id }) => {
      const point = this.pointOf(workspace, id);
      return this.hasSnapshot(point) ? point : undefined;
    });
    this.live.heard();
  }

  /** @returns undefined when nothing was kept */
  private async countChanged({
    workspace,
    id,
  }: {
    readonly workspace: string;
    readonly id: string;
  }): Promise<number | undefined> {
    const point = this.pointOf(workspace, id);
    return this.hasSnapshot(point) ? this.review.countFiles(point) : undefined;
  }

  private hasSnapshot({ store, id }: ReviewPoint): boolean {
    return listSnapshots(store).some((snapshot) => snapshot.id === id);
  }

  private pointOf(workspace: string, id: string): ReviewPoint {
    return { workspace, store: this.storeOf(workspace), id };
  }

  private storeOf(workspace: string): string {
    const { undo } = readSettings(vscode.workspace.getConfiguration(settingsSection));
    const { parent, name } = undoPlace(undo, this.context.globalStorageUri.fsPath);
    return storeOf(join(realPath(parent), name), workspace);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // nothing is there yet
    return path;
  }
}
