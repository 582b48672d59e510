import type { Socket } from 'node:net';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { commandIds } from '../contributions';
import type { NetworkEntry } from '../gateway/gateway';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import {
  acknowledgeNotification,
  allowedHostsRequest,
  attachRequest,
  clipboardHeldNotification,
  inputNotification,
  logNotification,
  networkLogRequest,
  networkNotification,
  outputNotification,
  protocolVersion,
  resizeNotification,
  startWithoutUndoRequest,
  statusNotification,
  stopRequest,
  type Dimensions,
  type HelloAnswer,
  type SandboxEnd,
  type SandboxStatus,
  type SandboxSummary,
} from '../supervisor/protocol';
import type { SandboxConnection, Unsubscribe } from './connection';
import { inTime, usualPatienceMilliseconds } from './inTime';
import { Listeners } from './listeners';
import { unanswered } from './unansweredSandbox';

/** The extension's end of a connection to a supervisor, from the moment it has said hello. */
export class SupervisorClient implements SandboxConnection {
  private answer: HelloAnswer | undefined;
  private latest: SandboxStatus = { phase: 'starting' };
  private restrictedBy: UserError | undefined;
  private readonly statusListeners = new Listeners<[SandboxStatus]>();
  private readonly outputListeners = new Listeners<[string, boolean]>();
  private readonly logListeners = new Listeners<[string]>();
  private readonly clipboardListeners = new Listeners<[]>();
  private readonly networkListeners = new Listeners<[NetworkEntry]>();
  private readonly closedListeners = new Listeners<[boolean]>();

  constructor(
    private readonly connection: MessageConnection,
    private readonly socket: Socket,
  ) {
    connection.onNotification(statusNotification, (status) => {
      // the answer to our hello says how it is; what another version means by a status is not known
      if (this.answer && !this.restrictedBy) {
        this.takeStatus(status);
      }
    });
    connection.onNotification(outputNotification, ({ data, resync }) =>
      this.outputListeners.fire(data, resync === true),
    );
    connection.onNotification(clipboardHeldNotification, () => this.clipboardListeners.fire());
    connection.onNotification(networkNotification, ({ entries }) =>
      entries.forEach((entry) => this.networkListeners.fire(entry)),
    );
    connection.onNotification(logNotification, ({ line }) => this.logListeners.fire(line));
    connection.onError(() => undefined);
    socket.once('close', () => {
      // requests that were not answered fail now; else they would wait for ever
      connection.dispose();
      this.closedListeners.fire(this.latest.phase === 'ended');
    });
  }

  accept(answer: HelloAnswer): void {
    this.answer = answer;
    if (answer.protocolVersion === protocolVersion) {
      this.takeStatus(answer.status);
    } else {
      this.restrictedBy = otherVersion();
      this.latest = { phase: 'running' };
    }
  }

  get restriction(): UserError | undefined {
    return this.restrictedBy;
  }

  get summary(): SandboxSummary {
    if (!this.answer) {
      throw new Error('not connected yet');
    }
    return this.answer.summary;
  }

  get status(): SandboxStatus {
    return this.latest;
  }

  onStatus(listener: (status: SandboxStatus) => void): Unsubscribe {
    return this.statusListeners.add(listener);
  }

  onOutput(listener: (data: string, resync: boolean) => void): Unsubscribe {
    return this.outputListeners.add(listener);
  }

  onClipboardHeld(listener: () => void): Unsubscribe {
    return this.clipboardListeners.add(listener);
  }

  onNetwork(listener: (entry: NetworkEntry) => void): Unsubscribe {
    return this.networkListeners.add(listener);
  }

  networkLog(): Promise<readonly NetworkEntry[]> {
    return answered(this.connection.sendRequest(networkLogRequest));
  }

  setAllowedHosts(hosts: readonly string[]): Promise<void> {
    return answered(this.connection.sendRequest(allowedHostsRequest, { hosts }));
  }

  startWithoutUndo(): Promise<void> {
    return answered(this.connection.sendRequest(startWithoutUndoRequest));
  }

  onLog(listener: (line: string) => void): Unsubscribe {
    return this.logListeners.add(listener);
  }

  onClosed(listener: (clean: boolean) => void): Unsubscribe {
    return this.closedListeners.add(listener);
  }

  attachTerminal(dimensions: Dimensions): Promise<void> {
    return this.connection.sendRequest(attachRequest, dimensions);
  }

  sendInput(data: string): void {
    this.send(() => this.connection.sendNotification(inputNotification, { data }));
  }

  resize(dimensions: Dimensions): void {
    this.send(() => this.connection.sendNotification(resizeNotification, dimensions));
  }

  acknowledge(parsed: number): void {
    this.send(() => this.connection.sendNotification(acknowledgeNotification, { parsed }));
  }

  async stop(): Promise<SandboxEnd> {
    try {
      const end = this.latest.end ?? (await this.connection.sendRequest(stopRequest));
      return this.restrictedBy ? this.endRestricted() : end;
    } catch (error) {
      // it may have ended by itself at the same moment
      if (this.latest.end) {
        return this.latest.end;
      }
      throw unanswered(error);
    }
  }

  dispose(): void {
    this.connection.dispose();
    this.socket.destroy();
  }

  /** No status that could be understood says that the sandbox has ended, but the answer to `stop` does. */
  private endRestricted(): SandboxEnd {
    const end: SandboxEnd = { reason: 'stopped' };
    this.takeStatus({ phase: 'ended', end });
    return end;
  }

  private takeStatus(status: SandboxStatus): void {
    this.latest = status;
    this.statusListeners.fire(status);
    if (status.phase === 'ended') {
      // nothing follows; the supervisor waits for us to go
      this.socket.end();
    }
  }

  /** The stream may end at any time; onClosed tells, and nothing sent afterwards matters. */
  private send(send: () => Promise<void>): void {
    try {
      send().catch(() => undefined);
    } catch {
      // vscode-jsonrpc throws at once when the stream has ended
    }
  }
}

/** A supervisor that is stopped or goes away answers nothing. @throws UserError `supervisor.notAnswering` */
async function answered<Answer>(request: Promise<Answer>): Promise<Answer> {
  try {
    return await inTime(request, usualPatienceMilliseconds);
  } catch (error) {
    throw unanswered(error);
  }
}

function otherVersion(): UserError {
  return new UserError(
    'supervisor.otherVersion',
    message('This sandbox was started by another version of the extension. Stop it and start a new one.'),
    { kind: 'runCommand', command: commandIds.stop },
  );
}
