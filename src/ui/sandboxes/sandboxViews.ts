import { commandIds } from '../../contributions';
import type { SandboxConnection } from '../../launch/connection';
import type { KnownSandbox, RegistryOptions } from '../../launch/sandboxRegistry';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import type { SandboxTerminal } from '../terminal/sandboxTerminal';
import type { SandboxTerminals } from '../terminal/terminals';

export interface SandboxViewsOptions {
  readonly terminals: SandboxTerminals;
  readonly connect: RegistryOptions['connect'];
}

/** The terminals in which this window looks at sandboxes that run. */
export class SandboxViews {
  /** by the id of the sandbox */
  private readonly attaching = new Map<string, Promise<void>>();

  constructor(private readonly options: SandboxViewsOptions) {}

  /**
   * Shows a running sandbox in a terminal.
   * @throws UserError when its supervisor does not answer, or not in our words
   */
  async show(sandbox: KnownSandbox, preserveFocus: boolean): Promise<void> {
    const { id } = sandbox.summary;
    // of two wishes at the same moment the second must not open another terminal: closing that would end the sandbox
    const attaching = this.attaching.get(id) ?? this.attach(sandbox, preserveFocus);
    this.attaching.set(id, attaching);
    try {
      await attaching;
    } finally {
      this.attaching.delete(id);
    }
  }

  /** Types into a running sandbox, and shows its terminal. @throws UserError as {@link show} */
  async type(sandbox: KnownSandbox, text: string): Promise<void> {
    await this.show(sandbox, false);
    this.terminalOf(sandbox)?.type(text);
  }

  /**
   * A connection that can be shown. What can't be can be stopped: the error's button does that.
   * @param socket of the sandbox's supervisor
   * @throws UserError as {@link show}
   */
  async reach(socket: string): Promise<SandboxConnection> {
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

  private async attach(sandbox: KnownSandbox, preserveFocus: boolean): Promise<void> {
    const { terminals } = this.options;
    const { socket, summary } = sandbox;
    const shown = this.terminalOf(sandbox);
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

  private terminalOf({ summary }: KnownSandbox): SandboxTerminal | undefined {
    return this.options.terminals.find(({ sandboxId }) => sandboxId === summary.id);
  }
}
