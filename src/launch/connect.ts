import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import {
  createMessageConnection,
  SocketMessageReader,
  SocketMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { helloRequest, protocolVersion, type HelloAnswer } from '../supervisor/protocol';
import type { SandboxConnection } from './connection';
import { inTime, usualPatienceMilliseconds } from './inTime';
import { SupervisorClient } from './supervisorClient';
import { unanswered } from './unansweredSandbox';

/** A supervisor that was just started shares a busy machine with the container that it starts. */
export const firstPatienceMilliseconds = 30_000;

export interface ConnectOptions {
  /** only look: a sandbox that nobody is attached to ends in time all the same */
  readonly observes?: true;
  /** how long to wait for an answer */
  readonly patienceMilliseconds?: number;
}

/**
 * Connects to a supervisor. One that speaks another version of the protocol can only be stopped over the connection,
 * which says so in `restriction`.
 *
 * @param socketPath of a StartedSupervisor or an index entry
 * @throws UserError `supervisor.notAnswering`
 */
export async function connectSandbox(
  socketPath: string,
  options: ConnectOptions = {},
): Promise<SandboxConnection> {
  const socket = createConnection(socketPath);
  const connection = createMessageConnection(
    new SocketMessageReader(socket),
    new SocketMessageWriter(socket),
  );
  try {
    const client = new SupervisorClient(connection, socket);
    client.accept(await hello(connection, socket, options));
    return client;
  } catch (error) {
    connection.dispose();
    socket.destroy();
    throw unanswered(error);
  }
}

async function hello(
  connection: MessageConnection,
  socket: Socket,
  { observes, patienceMilliseconds = usualPatienceMilliseconds }: ConnectOptions,
): Promise<HelloAnswer> {
  const gone = new Promise<never>((_resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
  });
  connection.listen();
  const asked = once(socket, 'connect').then(() =>
    connection.sendRequest(helloRequest, { protocolVersion, ...(observes && { observes }) }),
  );
  return inTime(Promise.race([asked, gone]), patienceMilliseconds);
}
