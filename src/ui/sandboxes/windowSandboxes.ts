import * as vscode from 'vscode';
import { commandIds, settingKeys, settingName } from '../../contributions';
import type { Unsubscribe } from '../../launch/connection';
import type { LiveSandboxes } from '../../launch/liveSandboxes';
import type { KnownSandbox, SandboxRegistry } from '../../launch/sandboxRegistry';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import type { SandboxEnd } from '../../supervisor/protocol';
import type { SandboxViews } from './sandboxViews';
import type { SandboxTerminal } from '../terminal/sandboxTerminal';
import type { Say } from '../say';
import { closeStandInShells } from '../terminal/standInShells';
import { endText, isAlarming } from '../terminal/endText';
import type { SandboxTerminals } from '../terminal/terminals';
import { translate } from '../translate';

export interface WindowSandboxesOptions {
  readonly live: LiveSandboxes;
  readonly registry: SandboxRegistry;
  readonly terminals: SandboxTerminals;
  readonly views: SandboxViews;
  readonly say: Say;
  readonly log: (line: string) => void;
}

/**
 * Keeps the sandboxes of a window and its terminals together: those that run already are shown again after a reload,
 * those of other windows are noticed, a terminal that the user closes ends its sandbox, and a bad end is told.
 */
export class WindowSandboxes implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private stopWatching: Unsubscribe | undefined;
  /** false once the index can't be watched: then it is read whenever somebody comes back to this window */
  private isWatching = true;
  private isDisposed = false;
  /** a window is opened once */
  private closingStandIn: Promise<void> | undefined;

  constructor(private readonly options: WindowSandboxesOptions) {
    options.registry.onClipboardHeld(() => this.announceClipboardHeld());
    options.registry.onAnswered((sandbox) => void this.attachLate(sandbox));
    options.registry.onEnd((_sandbox, end) => this.announceEnd(end));
    this.subscriptions = [
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused && !this.isWatching) {
          void this.discover();
        }
      }),
      options.terminals.onDidClose(({ terminal, byUser }) => void this.afterClosing(terminal, byUser)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.discover()),
    ];
  }

  /** Shows the sandboxes again that were started before this window, and notices others from now on. */
  async restore(): Promise<void> {
    const { live, registry, say } = this.options;
    try {
      await live.sweep();
      // first, so that none is missed in between
      await this.watch();
      for (const sandbox of await registry.discover()) {
        await this.attachAgain(sandbox);
      }
    } catch (error) {
      void say.error(error);
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.stopWatching?.();
    this.subscriptions.forEach((subscription) => void subscription.dispose());
  }

  private async watch(): Promise<void> {
    const stopWatching = await this.options.live.watch(
      () => void this.discover(),
      (error) => {
        this.isWatching = false;
        this.options.log(
          `The list of sandboxes can't be watched, and is read now and then: ${String(error)}`,
        );
      },
    );
    if (this.isDisposed) {
      stopWatching();
    }
    this.stopWatching = stopWatching;
  }

  /** One that can't be shown must not keep the others from it; the status bar item tells of it. */
  private async attachAgain(sandbox: KnownSandbox, preserveFocus = false): Promise<void> {
    if (sandbox.problem) {
      return;
    }
    try {
      await this.options.views.show(sandbox, preserveFocus);
      this.closingStandIn ??= closeStandInShells().catch((error: unknown) =>
        this.options.log(`The shell that VS Code opened could not be closed: ${String(error)}`),
      );
    } catch (error) {
      this.options.log(`[${sandbox.summary.id}] The sandbox could not be shown again: ${String(error)}`);
    }
  }

  /** Whoever works elsewhere meanwhile keeps the keyboard. */
  private async attachLate(sandbox: KnownSandbox): Promise<void> {
    const { id } = sandbox.summary;
    const isShown = this.options.terminals.find(({ sandboxId }) => sandboxId === id) !== undefined;
    if (!isShown) await this.attachAgain(sandbox, true);
  }

  private async discover(): Promise<void> {
    const { registry, say } = this.options;
    await registry.discover().catch((error: unknown) => void say.error(error));
  }

  /** Only the user's own closing ends a sandbox: VS Code closes terminals on reload, too. */
  private async afterClosing(terminal: SandboxTerminal, byUser: boolean): Promise<void> {
    const { registry, say } = this.options;
    if (byUser) {
      terminal.abort();
    }
    const { sandboxId } = terminal;
    if (sandboxId === undefined) {
      return;
    }
    registry.forget(sandboxId);
    // one that lost its connection, and said how to come back, is only a text any more
    if (byUser && !terminal.isConcluded) {
      await registry.stop(sandboxId).catch((error: unknown) => void say.error(error));
    }
  }

  private announceClipboardHeld(): void {
    void this.options.say.information(
      message(
        'A program in a sandbox wanted to copy something to your clipboard, which is off. A setting allows it.',
      ),
      { kind: 'openSetting', setting: settingName(settingKeys.clipboard) },
    );
  }

  private announceEnd(end: SandboxEnd): void {
    if (isAlarming(end)) {
      const action =
        end.reason === 'failed'
          ? ({ kind: 'showLog' } as const)
          : ({ kind: 'runCommand', command: commandIds.showIsolationReport } as const);
      void this.options.say.error(new UserError(`sandbox.${end.reason}`, endText(end, translate), action));
    }
  }
}
