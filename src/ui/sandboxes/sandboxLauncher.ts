import type * as vscode from 'vscode';
import { commandIds } from '../../contributions';
import type { KnownSandbox, SandboxRegistry } from '../../launch/sandboxRegistry';
import { type Message, message } from '../../sandbox/message';
import type { ResumedSession, SandboxKind, SandboxSpecification } from '../../sandbox/specification';
import { Cancelled, UserError } from '../../sandbox/userError';
import type { Wish } from './launchRequests';
import { launchSandbox, type LaunchOptions } from './launchSandbox';
import type { SandboxViews } from './sandboxViews';
import type { SandboxTerminal } from '../terminal/sandboxTerminal';
import type { SandboxTerminals } from '../terminal/terminals';
import { realPathOf } from '../window';

/** What is started to be worked with. */
export type InteractiveKind = 'agent' | 'shell';

export interface LauncherOptions extends LaunchOptions {
  readonly registry: SandboxRegistry;
  readonly terminals: SandboxTerminals;
  readonly views: Pick<SandboxViews, 'show' | 'reach'>;
  /** called whenever `starting` changes */
  readonly onStarting: () => void;
}

/** Starts sandboxes and shows them in terminals. */
export class SandboxLauncher {
  private startingCount = 0;

  constructor(private readonly options: LauncherOptions) {}

  /** How many sandboxes are being started and are not in the registry yet. */
  get starting(): number {
    return this.startingCount;
  }

  /**
   * Starts a sandbox for a folder in a new terminal, or shows the one that runs there already.
   * @throws UserError, Cancelled when the user closed the terminal meanwhile
   */
  async start(kind: InteractiveKind, folder: vscode.WorkspaceFolder): Promise<void> {
    const workspace = await realPathOf(folder.uri.fsPath);
    const shown = this.shown(kind, workspace);
    if (shown) {
      this.options.terminals.show(shown);
      return;
    }
    const running = this.running(kind, workspace);
    if (running) {
      await this.options.views.show(running, false);
      return;
    }
    await this.open({ kind, folder }, workspace);
  }

  /**
   * Starts the agent in a new terminal, to go on with a session.
   * @throws UserError when an agent runs in this folder, and as {@link start}
   */
  async resume(folder: vscode.WorkspaceFolder, resume: ResumedSession): Promise<void> {
    const workspace = await realPathOf(folder.uri.fsPath);
    this.requireNoAgent(workspace);
    await this.open({ kind: 'agent', folder, resume }, workspace);
  }

  /** @param workspace real path of a folder @throws UserError when an agent runs there, or is being started */
  requireNoAgent(workspace: string): void {
    if (this.running('agent', workspace) ?? this.shown('agent', workspace)) {
      throw new UserError(
        'agent.running',
        message(
          'An agent is running in {0}. Stop it first, or switch its session in its own window with /sessions.',
          workspace,
        ),
        { kind: 'runCommand', command: commandIds.stop },
      );
    }
  }

  /**
   * A terminal hears a moment later than the registry that its sandbox has ended, and closes then: it shows nothing.
   * @param workspace real path of a folder, here and below
   */
  private shown(kind: InteractiveKind, workspace: string): SandboxTerminal | undefined {
    const { terminals, registry } = this.options;
    return terminals.find(
      ({ subject, sandboxId }) =>
        subject.kind === kind &&
        subject.workspace === workspace &&
        (sandboxId === undefined || !registry.hasEnded(sandboxId)),
    );
  }

  private running(kind: InteractiveKind, workspace: string): KnownSandbox | undefined {
    return this.options.registry
      .running()
      .find(({ summary }) => summary.kind === kind && summary.workspace === workspace);
  }

  private async open(wish: Wish & { readonly kind: InteractiveKind }, workspace: string): Promise<void> {
    const { terminals } = this.options;
    terminals.removeFinished(wish.kind, workspace);
    const terminal = terminals.open({ kind: wish.kind, workspace, greeting: starting }, false);
    try {
      await this.counted(() => launchSandbox(this.options, wish, terminal));
    } catch (error) {
      terminals.remove(terminal);
      throw error;
    }
  }

  /**
   * A terminal profile that starts a sandbox for a folder, or shows the one that runs there already; when that one
   * is shown, its terminal comes to the front and the new one closes.
   * @param onError called when the start fails; the terminal says why, too
   */
  async profileFor(
    kind: InteractiveKind,
    folder: vscode.WorkspaceFolder,
    onError: (error: unknown) => void,
  ): Promise<vscode.TerminalProfile> {
    const { terminals } = this.options;
    const workspace = await realPathOf(folder.uri.fsPath);
    const shown = this.shown(kind, workspace);
    const { terminal, profile } = terminals.openByProfile({ kind, workspace, greeting: starting });
    if (shown) {
      terminals.show(shown);
      terminal.closeAtOnce();
      return profile;
    }
    terminals.removeFinished(kind, workspace);
    this.fill(terminal, folder, kind).catch((error: unknown) => {
      terminal.fail(reasonOf(error));
      onError(error);
    });
    return profile;
  }

  /**
   * Starts a sandbox for one task in a new terminal.
   * @param signal gives the start up; a sandbox that has been started goes on
   * @throws UserError, Cancelled
   */
  async startTask(
    folder: vscode.WorkspaceFolder,
    prompt: string,
    signal: AbortSignal,
  ): Promise<KnownSandbox> {
    return this.startAfresh({ kind: 'task', folder, prompt }, signal);
  }

  /**
   * Runs a program of the analysis image in a new terminal, in a sandbox without network.
   * @param program with its arguments
   * @param signal as for {@link startTask}
   * @throws UserError, Cancelled
   */
  async startProgram(
    folder: vscode.WorkspaceFolder,
    program: readonly string[],
    signal: AbortSignal,
  ): Promise<KnownSandbox> {
    return this.startAfresh({ kind: 'run', folder, program }, signal);
  }

  private async startAfresh(wish: Wish, signal: AbortSignal): Promise<KnownSandbox> {
    const { terminals } = this.options;
    const { kind, folder } = wish;
    const workspace = await realPathOf(folder.uri.fsPath);
    if (kind === 'run') {
      terminals.removeFinished(kind, workspace);
    }
    const terminal = terminals.open({ kind, workspace, greeting: starting }, true);
    signal.addEventListener('abort', () => terminal.abort(), { once: true });
    try {
      return await this.counted(() => launchSandbox(this.options, wish, terminal));
    } catch (error) {
      terminals.remove(terminal);
      throw error;
    }
  }

  /** What a sandbox for this folder would be, without starting one. @throws UserError */
  async specify(kind: SandboxKind, folder: vscode.WorkspaceFolder): Promise<SandboxSpecification> {
    const { requests, prepare } = this.options;
    const workspace = await realPathOf(folder.uri.fsPath);
    const { specification } = await prepare(await requests.build({ kind, folder }, workspace));
    return specification;
  }

  private async fill(
    terminal: SandboxTerminal,
    folder: vscode.WorkspaceFolder,
    kind: InteractiveKind,
  ): Promise<void> {
    const running = this.running(kind, terminal.subject.workspace);
    if (running) {
      terminal.connect(await this.options.views.reach(running.socket));
    } else {
      await this.counted(() => launchSandbox(this.options, { kind, folder }, terminal));
    }
  }

  private async counted<Result>(work: () => Promise<Result>): Promise<Result> {
    const count = (change: number): void => {
      this.startingCount += change;
      this.options.onStarting();
    };
    count(1);
    try {
      return await work();
    } finally {
      count(-1);
    }
  }
}

const starting = message('Starting the sandbox…');

function reasonOf(error: unknown): Message {
  if (error instanceof UserError) return error.description;
  return error instanceof Cancelled
    ? message('The start was cancelled.')
    : message('The sandbox could not be started. The log says why.');
}
