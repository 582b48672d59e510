import { once } from 'node:events';
import { createConnection } from 'node:net';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';
import { endAbandoned } from '../host/abandoned';
import type { SandboxIndexEntry } from '../host/sandboxIndex';
import { UserError } from '../sandbox/userError';
import { stopRequest, type SandboxEnd } from '../supervisor/protocol';
import { abandonedText } from './abandonedText';

/**
 * A supervisor ends its sandbox within a second (`supervisor/ending.ts`), a busy machine may take longer, and one that
 * was stopped never does.
 */
const usualStopMilliseconds = 5000;

/**
 * Ends a sandbox, whether or not its supervisor answers: it is asked first, of whatever version of the protocol it
 * is, and when it does not obey in time the sandbox is ended by what the index knows.
 *
 * @param indexDirectory where `entry` is
 * @param stopMilliseconds how long the supervisor has
 * @returns how it ended, in the words of its supervisor if that did it
 * @throws UserError when something of it is left
 */
export async function endSandbox(
  indexDirectory: string,
  entry: SandboxIndexEntry,
  stopMilliseconds = usualStopMilliseconds,
): Promise<SandboxEnd> {
  try {
    return await askToStop(entry.socket, stopMilliseconds);
  } catch {
    const abandoned = await endAbandoned(indexDirectory, entry);
    if (abandoned && (abandoned.left.length > 0 || !abandoned.isRemoved)) {
      throw new UserError('sandbox.notEnded', abandonedText(abandoned), { kind: 'showLog' });
    }
    return { reason: 'stopped' };
  }
}

/** The meaning of `stop` is the same in every version of the protocol. @throws when there is no answer in time */
async function askToStop(socketPath: string, stopMilliseconds: number): Promise<SandboxEnd> {
  const socket = createConnection(socketPath);
  const connection = createMessageConnection(
    new SocketMessageReader(socket),
    new SocketMessageWriter(socket),
  );
  // the stream's own errors are the promise's
  connection.onError(() => undefined);
  const patience = AbortSignal.timeout(stopMilliseconds);
  try {
    await once(socket, 'connect', { signal: patience });
    connection.listen();
    const late = new Promise<never>((_resolve, reject) => {
      const fail = (): void => reject(new Error('no answer in time'));
      patience.addEventListener('abort', fail, { once: true });
      socket.once('close', fail);
    });
    return await Promise.race([connection.sendRequest(stopRequest), late]);
  } finally {
    connection.dispose();
    socket.destroy();
  }
}
