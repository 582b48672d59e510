import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import {
  createMessageConnection,
  SocketMessageReader,
  SocketMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import {
  acknowledgeNotification,
  attachRequest,
  helloRequest,
  inputNotification,
  logNotification,
  outputNotification,
  protocolVersion,
  resizeNotification,
  statusNotification,
  stopRequest,
  type Dimensions,
  type HelloAnswer,
  type SandboxEnd,
  type SandboxStatus,
  type SandboxSummary,
} from '../supervisor/protocol';
import type { SandboxConnection, Unsubscribe } from './connection';

/** A live supervisor answers in milliseconds; one that is stopped or not ours never does. */
const helloMilliseconds = 5000;

/**
 * Connects to a supervisor.
 *
 * @param socketPath of a StartedSupervisor or an index entry
 * @throws UserError `supervisor.notAnswering` or `supervisor.otherVersion`
 */
export async function connectSandbox(socketPath: string): Promise<SandboxConnection> {
  const socket = createConnection(socketPath);
  const connection = createMessageConnection(
    new SocketMessageReader(socket),
    new SocketMessageWriter(socket),
  );
  try {
    const client = new SupervisorClient(connection, socket);
    client.accept(await hello(connection, socket));
    return client;
  } catch (error) {
    connection.dispose();
    socket.destroy();
    throw error instanceof UserError ? error : notAnswering(error);
  }
}

function notAnswering(cause: unknown): UserError {
  const description = message('The process that keeps this sandbox does not answer.');
  return new UserError('supervisor.notAnswering', description, { kind: 'showLog' }, { cause });
}

function hello(connection: MessageConnection, socket: Socket): Promise<HelloAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), helloMilliseconds);
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    socket.once('error', fail);
    socket.once('close', () => fail(new Error('closed')));
    connection.listen();
    const asked = once(socket, 'connect').then(() =>
      connection.sendRequest(helloRequest, { protocolVersion }),
    );
    asked.then((answer) => {
      clearTimeout(timer);
      if (answer.protocolVersion === protocolVersion) {
        resolve(answer);
      } else {
        const description = message(
          'This sandbox was started by another version of the extension. Stop it and start a new one.',
        );
        fail(new UserError('supervisor.otherVersion', description));
      }
    }, fail);
  });
}

/** A list of listeners that can be left. */
class Listeners<Arguments extends readonly unknown[]> {
  private readonly listeners = new Set<(...values: Arguments) => void>();

  add(listener: (...values: Arguments) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  fire(...values: Arguments): void {
    this.listeners.forEach((listener) => listener(...values));
  }
}

class SupervisorClient implements SandboxConnection {
  private answer: HelloAnswer | undefined;
  private latest: SandboxStatus = { phase: 'starting' };
  private readonly statusListeners = new Listeners<[SandboxStatus]>();
  private readonly outputListeners = new Listeners<[string, boolean]>();
  private readonly logListeners = new Listeners<[string]>();
  private readonly closedListeners = new Listeners<[boolean]>();

  constructor(
    private readonly connection: MessageConnection,
    private readonly socket: Socket,
  ) {
    connection.onNotification(statusNotification, (status) => this.hear(status));
    connection.onNotification(outputNotification, ({ data, resync }) =>
      this.outputListeners.fire(data, resync === true),
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
    this.hear(answer.status);
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
      return this.latest.end ?? (await this.connection.sendRequest(stopRequest));
    } catch (error) {
      // it may have ended by itself at the same moment
      if (this.latest.end) {
        return this.latest.end;
      }
      throw notAnswering(error);
    }
  }

  dispose(): void {
    this.connection.dispose();
    this.socket.destroy();
  }

  private hear(status: SandboxStatus): void {
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
