import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';
import { identifyProcess } from '../../../src/host/processIdentity';
import { writeIndexEntry, type SandboxIndexEntry } from '../../../src/host/sandboxIndex';
import { endSandbox } from '../../../src/launch/endSandbox';
import { stopRequest, type SandboxEnd } from '../../../src/supervisor/protocol';
import { liveEntry } from '../../support/indexEntries';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('endSandbox', () => {
  const root = useTemporaryFolder();
  const sockets = new Set<Socket>();
  let supervisor: ChildProcess;
  let server: Server;
  let entry: SandboxIndexEntry;
  let answer: () => SandboxEnd | Promise<SandboxEnd>;

  beforeEach(async () => {
    supervisor = spawn('/bin/sleep', ['60']);
    const { pid, startTime } = identifyProcess(supervisor.pid ?? 0) ?? assert.fail();
    const socket = join(root(), 'socket');
    const runDirectory = join(root(), 'sandboxed-agent-run');
    mkdirSync(join(root(), 'index'));
    mkdirSync(runDirectory);
    entry = await liveEntry({ supervisorPid: pid, supervisorStartTime: startTime, socket, runDirectory });
    await writeIndexEntry(join(root(), 'index'), entry);
    server = createServer((stream) => {
      sockets.add(stream);
      const connection = createMessageConnection(
        new SocketMessageReader(stream),
        new SocketMessageWriter(stream),
      );
      connection.onRequest(stopRequest, () => answer());
      connection.listen();
    }).listen(socket);
    await once(server, 'listening');
  });

  afterEach(() => {
    supervisor.kill('SIGKILL');
    sockets.forEach((socket) => socket.destroy());
    sockets.clear();
    server.close();
  });

  it('lets the supervisor do it, and returns its words', async () => {
    answer = () => ({ reason: 'broken' });
    assert.deepEqual(await endSandbox(join(root(), 'index'), entry), { reason: 'broken' });
    assert.equal(supervisor.signalCode, null);
  });

  it('ends one whose supervisor does not do it in time', async () => {
    answer = () => new Promise(() => undefined);
    const exited = once(supervisor, 'exit');
    assert.deepEqual(await endSandbox(join(root(), 'index'), entry, 50), { reason: 'stopped' });
    assert.deepEqual((await exited)[1], 'SIGKILL');
    assert.deepEqual(readdirSync(root()).sort(), ['index', 'socket']);
    assert.deepEqual(readdirSync(join(root(), 'index')), []);
  });

  it('ends one whose supervisor is gone', async () => {
    const exited = once(supervisor, 'exit');
    supervisor.kill('SIGKILL');
    await exited;
    server.close();
    await endSandbox(join(root(), 'index'), entry);
    assert.deepEqual(readdirSync(join(root(), 'index')), []);
  });
});
