import type { NetworkEntry } from '../gateway/gateway';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import type { ConnectOptions } from './connect';
import type { SandboxConnection } from './connection';
import { Listeners } from './listeners';
import { isUnanswered, type KnownSandbox, type ListedSandbox, type SandboxList } from './sandboxList';
import { unanswered, unansweredDescription } from './unansweredSandbox';

/** Connects to the supervisor at a socket. @throws UserError when nobody answers */
export type Connect = (socket: string, options?: ConnectOptions) => Promise<SandboxConnection>;

/** What a connector tells besides what it enters into the list. */
export interface ConnectorListeners {
  readonly log: (line: string) => void;
  /** The stream ended without a word; the sandbox is on the list as one that does not answer. */
  readonly onLost: (sandbox: KnownSandbox) => void;
}

/** Connects the sandboxes of a list to their supervisors, once each, and follows what these say. */
export class SandboxConnector {
  /** fires once for every sandbox in which a program wanted to use the clipboard and was not let */
  readonly clipboardHeld = new Listeners<[KnownSandbox]>();
  /** fires for everything that a sandbox tried to reach, see {@link NetworkEntry} */
  readonly network = new Listeners<[KnownSandbox, NetworkEntry]>();
  private readonly connecting = new Map<string, Promise<KnownSandbox>>();

  constructor(
    private readonly list: SandboxList,
    private readonly connect: Connect,
    private readonly listeners: ConnectorListeners,
  ) {}

  /** Connects to the supervisor at this socket, unless that was done. @throws UserError when nobody answers */
  async adopt(socket: string, options?: ConnectOptions): Promise<KnownSandbox> {
    const known = this.list.all().find((sandbox) => sandbox.socket === socket);
    if (known && !isUnanswered(known)) {
      return known;
    }
    const pending = this.connecting.get(socket);
    if (pending) {
      // an entry of the index can be there before its supervisor listens: that attempt's failure says nothing of ours
      return pending.catch(() => this.adopt(socket, options));
    }
    const connecting = this.connectTo(socket, options).finally(() => this.connecting.delete(socket));
    this.connecting.set(socket, connecting);
    return connecting;
  }

  private async connectTo(socket: string, options?: ConnectOptions): Promise<KnownSandbox> {
    const connection = await this.connect(socket, options);
    const { summary, status, restriction } = connection;
    const sandbox: ListedSandbox = {
      socket,
      summary,
      status,
      problem: restriction?.description,
      connection,
    };
    if (this.list.isDisposed) {
      connection.dispose();
      return sandbox;
    }
    this.list.put(sandbox);
    this.listen(sandbox, connection);
    this.list.follow(sandbox, connection.status);
    return sandbox;
  }

  private listen(sandbox: ListedSandbox, connection: SandboxConnection): void {
    connection.onLog((line) => this.listeners.log(`[${sandbox.summary.id}] ${line}`));
    connection.onClipboardHeld(() => this.clipboardHeld.fire(sandbox));
    connection.onNetwork((entry) => this.network.fire(sandbox, entry));
    connection.onStatus((status) => this.list.follow(sandbox, status));
    connection.onClosed(() => this.lose(sandbox));
  }

  /** A stream that ends without a word may be a crash, or only this connection: nothing is verified any more. */
  private lose(sandbox: ListedSandbox): void {
    if (!sandbox.connection || this.list.isDisposed) {
      return;
    }
    sandbox.connection = undefined;
    sandbox.status = { phase: 'running' };
    sandbox.problem = unansweredDescription;
    this.list.put(sandbox);
    this.listeners.log(`[${sandbox.summary.id}] The connection was lost.`);
    this.listeners.onLost(sandbox);
  }
}

/**
 * The connection to a sandbox that is to do something.
 * @param sandbox undefined for one that is not on the list any more
 * @throws UserError `sandbox.ended`, `supervisor.notAnswering`, `supervisor.otherVersion`
 */
export function usableConnection(sandbox: ListedSandbox | undefined): SandboxConnection {
  if (!sandbox || sandbox.status.phase === 'ended') {
    throw new UserError('sandbox.ended', message('This sandbox has ended. Start a new one.'));
  }
  if (!sandbox.connection) {
    throw unanswered(new Error('not connected'));
  }
  if (sandbox.connection.restriction) {
    throw sandbox.connection.restriction;
  }
  return sandbox.connection;
}
