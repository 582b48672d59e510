import * as vscode from 'vscode';
import { settingKeys, settingName } from '../../contributions';
import type { KnownSandbox, SandboxRegistry } from '../../launch/sandboxRegistry';
import { message } from '../../sandbox/message';
import type { Say } from '../say';
import { translate } from '../translate';

/** A start waits this long without a word: most folders are noted before the container is there. */
const quietMilliseconds = 2000;

const againMilliseconds = 20_000;

/**
 * Tells when a start waits because what is in the folder is still being noted, or can't be, and lets the user choose
 * to start without undo; and tells once of each folder of which not everything is kept.
 */
export class UndoNotices implements vscode.Disposable {
  private readonly seen = new Set<string>();
  private readonly toldOf = new Set<string>();
  private readonly timers = new Set<NodeJS.Timeout>();
  /** called when a sandbox does not wait any more */
  private readonly waiting = new Map<string, () => void>();

  constructor(
    private readonly registry: SandboxRegistry,
    private readonly say: Say,
  ) {
    registry.onChange(() => this.look());
  }

  dispose(): void {
    this.timers.forEach((timer) => clearTimeout(timer));
    this.waiting.forEach((done) => done());
  }

  private look(): void {
    for (const sandbox of this.registry.running()) this.lookAt(sandbox);
    for (const [id, done] of this.waiting) {
      if (this.stateOf(id)?.state !== 'taking') {
        this.waiting.delete(id);
        done();
      }
    }
  }

  private lookAt({ summary, status: { undo } }: KnownSandbox): void {
    const { id, workspace } = summary;
    if (undo?.state === 'ready') {
      const { notKept, isTruncated } = undo.summary;
      if (isTruncated) this.tellTruncated(workspace);
      else if (notKept.full > 0) this.tellIncomplete(workspace, notKept.full);
      return;
    }
    if (!undo || this.seen.has(`${id} ${undo.state}`)) return;
    this.seen.add(`${id} ${undo.state}`);
    if (undo.state === 'failed') {
      const text = message(
        '{0} Without it nothing that the agent does can be undone. It waits.',
        translate(undo.explanation),
      );
      void this.offer(id, text);
    } else if (undo.state === 'taking') {
      this.later(() => this.tellWaiting(id));
    }
  }

  private tellWaiting(id: string): void {
    if (this.stateOf(id)?.state !== 'taking') return;
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Noting the files for undo') },
      (progress) => this.showProgress(id, progress),
    );
    const text = message(
      'The agent waits until what is in the folder has been noted, so that everything it does can be undone.',
    );
    void this.offer(id, text);
  }

  private showProgress(id: string, progress: vscode.Progress<{ message: string }>): Promise<void> {
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        const undo = this.stateOf(id);
        if (undo?.state !== 'taking') return;
        const megabytes = Math.round(undo.bytes / 2 ** 20);
        progress.report({ message: vscode.l10n.t('{0} files, {1} MB', undo.files, megabytes) });
      }, 500);
      this.waiting.set(id, () => {
        clearInterval(timer);
        resolve();
      });
    });
  }

  private async offer(id: string, text: ReturnType<typeof message>): Promise<void> {
    const isChosen = await this.say.offer(text, vscode.l10n.t('Start Without Undo'));
    const state = this.stateOf(id)?.state;
    if (state !== 'taking' && state !== 'failed') return;
    if (!isChosen) {
      // the only way on must not be gone with a notification that somebody has closed
      this.later(() => void this.offer(id, text), againMilliseconds);
    } else {
      await this.registry.startWithoutUndo(id).catch((error: unknown) => void this.say.error(error));
    }
  }

  private tellTruncated(workspace: string): void {
    if (this.toldOf.has(workspace)) return;
    this.toldOf.add(workspace);
    void this.say.information(
      message(
        '{0} has more files and folders than are noted for undo, or its paths are too long: changes of the others can be neither seen nor undone.',
        workspace,
      ),
    );
  }

  private tellIncomplete(workspace: string, files: number): void {
    if (this.toldOf.has(workspace)) return;
    this.toldOf.add(workspace);
    void this.say.information(
      message(
        '{0} has more than is kept for undo: changes of {1} of its files can be seen, but not undone. A setting keeps more.',
        workspace,
        files,
      ),
      { kind: 'openSetting', setting: settingName(settingKeys.undoMegabytes) },
    );
  }

  private stateOf(id: string): KnownSandbox['status']['undo'] {
    return this.registry.running().find(({ summary }) => summary.id === id)?.status.undo;
  }

  private later(act: () => void, milliseconds = quietMilliseconds): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, milliseconds);
    this.timers.add(timer);
  }
}
