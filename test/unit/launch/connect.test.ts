import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createMessageConnection,
  SocketMessageReader,
  SocketMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { connectSandbox } from '../../../src/launch/connect';
import { UserError } from '../../../src/sandbox/userError';
import {
  helloRequest,
  protocolVersion,
  statusNotification,
  stopRequest,
} from '../../../src/supervisor/protocol';
import { summary, verdictOf } from '../../support/fakeConnection';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('connectSandbox', () => {
  const root = useTemporaryFolder();
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let stopped: number;

  /** A supervisor that speaks this version; `undefined` never answers. */
  async function serve(version: number | undefined): Promise<string> {
    const path = join(root(), 'supervisor.sock');
    stopped = 0;
    server = createServer((socket) => {
      sockets.add(socket);
      const connection = createMessageConnection(
        new SocketMessageReader(socket),
        new SocketMessageWriter(socket),
      );
      if (version !== undefined) answer(connection, version);
      connection.listen();
    });
    server.listen(path);
    await once(server, 'listening');
    return path;
  }

  function answer(connection: MessageConnection, version: number): void {
    const status = { phase: 'running', verdict: verdictOf() } as const;
    connection.onRequest(helloRequest, () => {
      setImmediate(() => void connection.sendNotification(statusNotification, status));
      return { protocolVersion: version, summary, status };
    });
    connection.onRequest(stopRequest, () => {
      stopped += 1;
      return { reason: 'stopped' as const };
    });
  }

  afterEach(() => {
    sockets.forEach((socket) => socket.destroy());
    sockets.clear();
    server?.close();
  });

  it('connects to a supervisor of its own version', async () => {
    const connection = await connectSandbox(await serve(protocolVersion));
    assert.equal(connection.restriction, undefined);
    assert.deepEqual(connection.summary, summary);
    assert.equal(connection.status.verdict?.state, 'isolated');
    connection.dispose();
  });

  it('connects to a supervisor that tells its end before it answers', async () => {
    const path = await serve(undefined);
    server?.removeAllListeners('connection');
    server?.on('connection', (socket) => {
      const connection = createMessageConnection(
        new SocketMessageReader(socket),
        new SocketMessageWriter(socket),
      );
      const status = { phase: 'ended', end: { reason: 'failed' } } as const;
      connection.onRequest(helloRequest, async () => {
        await connection.sendNotification(statusNotification, status);
        // who takes that for the end of the conversation has left by now
        await delay(50);
        return { protocolVersion, summary, status };
      });
      connection.listen();
    });
    const connection = await connectSandbox(path);
    assert.equal(connection.status.end?.reason, 'failed');
    connection.dispose();
  });

  for (const version of [protocolVersion - 1, protocolVersion + 1]) {
    it(`can only stop a sandbox of version ${version}, and believes none of its verdicts`, async () => {
      const connection = await connectSandbox(await serve(version));
      assert.equal(connection.restriction?.code, 'supervisor.otherVersion');
      assert.deepEqual(connection.restriction?.action, {
        kind: 'runCommand',
        command: 'sandboxedAgent.stop',
      });
      assert.deepEqual(connection.summary, summary);
      const phases: string[] = [];
      connection.onStatus(({ phase, verdict }) => phases.push(verdict ? 'verdict' : phase));
      assert.deepEqual(connection.status, { phase: 'running' });
      assert.equal((await connection.stop()).reason, 'stopped');
      assert.equal(stopped, 1);
      assert.deepEqual(phases, ['ended']);
      connection.dispose();
    });
  }

  it('gives up on one that does not answer', async () => {
    const path = await serve(undefined);
    await assert.rejects(connectSandbox(path, { patienceMilliseconds: 50 }), (error) => {
      assert(error instanceof UserError);
      assert.equal(error.code, 'supervisor.notAnswering');
      return true;
    });
  });
});
