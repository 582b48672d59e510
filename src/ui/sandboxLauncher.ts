import * as vscode from 'vscode';
import { commandIds, settingsSection } from '../contributions';
import type { SandboxConnection } from '../launch/connection';
import type { PreparedSandbox, PrepareRequest } from '../launch/prepare';
import type { KnownSandbox, RegistryOptions, SandboxRegistry } from '../launch/sandboxRegistry';
import { startSandbox } from '../launch/startSandbox';
import { message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';
import type { PulledImage } from './pulledImage';
import type { SandboxTerminal } from './sandboxTerminal';
import { readSettings } from './settings';
import type { SandboxTerminals } from './terminals';
import { diskFolders, realPathOf } from './window';

/** What is started from a window: both have a terminal. */
export type InteractiveKind = 'agent' | 'shell';

/** What of a request does not depend on the folder. */
export type LauncherSurroundings = Pick<
  PrepareRequest,
  'environment' | 'storageDirectory' | 'serverFolders' | 'ptyModules' | 'platform' | 'uid'
>;

export interface LauncherOptions {
  readonly surroundings: LauncherSurroundings;
  readonly pulledImage: PulledImage;
  readonly registry: SandboxRegistry;
  readonly terminals: SandboxTerminals;
  readonly prepare: (request: PrepareRequest) => Promise<PreparedSandbox>;
  /** @returns the supervisor's socket */
  readonly startSupervisor: (specification: SandboxSpecification) => Promise<string>;
  readonly connect: RegistryOptions['connect'];
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
    const { registry, terminals } = this.options;
    const workspace = await realPathOf(folder.uri.fsPath);
    const shown = terminals.find(({ subject }) => subject.kind === kind && subject.workspace === workspace);
    if (shown) {
      terminals.show(shown);
      return;
    }
    const running = registry
      .running()
      .find(({ summary }) => summary.kind === kind && summary.workspace === workspace);
    if (running) {
      await this.attach(running, false);
      return;
    }
    terminals.removeFinished(kind, workspace);
    const terminal = terminals.open({ kind, workspace, greeting: message('Starting the sandbox…') }, false);
    try {
      await this.counted(() => this.launch(kind, folder, terminal));
    } catch (error) {
      terminals.remove(terminal);
      throw error;
    }
  }

  /**
   * Shows a running sandbox in a terminal.
   * @throws UserError when its supervisor does not answer, or not in our words
   */
  async attach({ socket, summary }: KnownSandbox, preserveFocus: boolean): Promise<void> {
    const { terminals } = this.options;
    const shown = terminals.find(({ sandboxId }) => sandboxId === summary.id);
    if (shown) {
      terminals.show(shown);
      return;
    }
    const connection = await this.reach(socket);
    const greeting = message('Connecting to the sandbox…');
    const terminal = terminals.open(
      { kind: summary.kind, workspace: summary.workspace, greeting },
      preserveFocus,
    );
    terminal.connect(connection);
  }

  /** What can't be shown can be stopped: the error's button does that. */
  private async reach(socket: string): Promise<SandboxConnection> {
    try {
      const connection = await this.options.connect(socket);
      if (connection.restriction) {
        connection.dispose();
        throw connection.restriction;
      }
      return connection;
    } catch (error) {
      const stop = { kind: 'runCommand', command: commandIds.stop } as const;
      throw error instanceof UserError
        ? new UserError(error.code, error.description, stop, { cause: error })
        : error;
    }
  }

  private async launch(
    kind: InteractiveKind,
    folder: vscode.WorkspaceFolder,
    terminal: SandboxTerminal,
  ): Promise<void> {
    const { specification, notes } = await this.options.prepare(
      await this.requestFor(kind, folder, terminal.signal),
    );
    notes.forEach((note) => terminal.say(note));
    terminal.connect(await startSandbox(specification, this.options, terminal.signal));
  }

  private async requestFor(
    kind: InteractiveKind,
    folder: vscode.WorkspaceFolder,
    signal: AbortSignal,
  ): Promise<PrepareRequest> {
    const settings = readSettings(vscode.workspace.getConfiguration(settingsSection, folder));
    return {
      ...this.options.surroundings,
      kind,
      workspace: folder.uri.fsPath,
      otherWorkspaces: diskFolders()
        .filter((other) => other !== folder)
        .map(({ uri }) => uri.fsPath),
      settings: { ...settings, image: await this.options.pulledImage.orChosen(settings.image) },
      signal,
    };
  }

  private async counted(work: () => Promise<void>): Promise<void> {
    const count = (change: number): void => {
      this.startingCount += change;
      this.options.onStarting();
    };
    count(1);
    try {
      await work();
    } finally {
      count(-1);
    }
  }
}
