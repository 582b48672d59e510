import * as vscode from 'vscode';
import type { SandboxConnection } from '../../launch/connection';
import type { KnownSandbox, SandboxRegistry } from '../../launch/sandboxRegistry';
import type { SandboxEnd } from '../../supervisor/protocol';
import type { SandboxLauncher } from './sandboxLauncher';

type Start = (signal: AbortSignal) => Promise<KnownSandbox>;

/** Runs one task of the agent's, or one program, from its start to its end. */
export class TaskRunner {
  constructor(
    private readonly launcher: SandboxLauncher,
    private readonly registry: SandboxRegistry,
    private readonly connect: (socket: string) => Promise<SandboxConnection>,
  ) {}

  /**
   * Runs `opencode run` in a sandbox of its own and waits for its end, while a notification offers to cancel it.
   * @returns undefined when the supervisor went away without a word
   * @throws UserError when it could not be started, Cancelled when that was cancelled
   */
  async run(folder: vscode.WorkspaceFolder, prompt: string): Promise<SandboxEnd | undefined> {
    return this.watched(vscode.l10n.t('The sandboxed agent works on the task'), (signal) =>
      this.launcher.startTask(folder, prompt, signal),
    );
  }

  /**
   * Runs a program of the analysis image without network and waits for its end, as {@link run} does.
   * @throws UserError, Cancelled
   */
  async runProgram(
    folder: vscode.WorkspaceFolder,
    program: readonly string[],
  ): Promise<SandboxEnd | undefined> {
    return this.watched(vscode.l10n.t('A program runs in a sandbox without network'), (signal) =>
      this.launcher.startProgram(folder, program, signal),
    );
  }

  private async watched(title: string, start: Start): Promise<SandboxEnd | undefined> {
    return vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title,
        cancellable: true,
      },
      (_progress, token) => this.runUntilEnd(start, token),
    );
  }

  private async runUntilEnd(start: Start, token: vscode.CancellationToken): Promise<SandboxEnd | undefined> {
    const cancelling = new AbortController();
    let sandbox: KnownSandbox | undefined;
    const subscription = token.onCancellationRequested(() => {
      cancelling.abort();
      if (sandbox) {
        void this.registry.stop(sandbox.summary.id).catch(() => undefined);
      }
    });
    try {
      sandbox = await start(cancelling.signal);
      return await this.endOf(sandbox);
    } finally {
      subscription.dispose();
    }
  }

  private async endOf({ socket, status }: KnownSandbox): Promise<SandboxEnd | undefined> {
    if (status.end) {
      return status.end;
    }
    const connection = await this.connect(socket);
    return new Promise((resolve) => {
      const look = (): void => {
        if (connection.status.end) {
          resolve(connection.status.end);
        }
      };
      connection.onStatus(look);
      connection.onClosed(() => resolve(connection.status.end));
      look();
    });
  }
}
