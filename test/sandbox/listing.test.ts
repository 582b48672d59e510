import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';
import { identifyProcess, readBootId } from '../../src/host/processIdentity';
import { type SandboxIndexEntry, writeIndexEntry } from '../../src/host/sandboxIndex';
import { connectSandbox } from '../../src/launch/connect';
import { answerMilliseconds, HostSandboxes } from '../../src/launch/hostSandboxes';
import { LiveSandboxes } from '../../src/launch/liveSandboxes';
import { helloRequest, stopRequest } from '../../src/supervisor/protocol';
import { processesBelow, stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

const ids = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb', 'cccccccccccccccc'] as const;

describe('the list of all sandboxes', () => {
  let folders: TestFolders;
  let live: LiveSandboxes;
  let sandboxes: HostSandboxes;

  beforeEach(() => {
    folders = new TestFolders();
    const storage = join(folders.root, 'storage');
    mkdirSync(storage, { mode: 0o700 });
    live = new LiveSandboxes(storage);
    sandboxes = new HostSandboxes({
      entries: () => live.entered(),
      watch: (listener, onFailure) => live.watch(listener, onFailure),
      connect: (socket) =>
        connectSandbox(socket, { observes: true, patienceMilliseconds: answerMilliseconds }),
      onChange: () => undefined,
      onError: (error) => assert.fail(String(error)),
    });
  });
  afterEach(() => {
    sandboxes.stop();
    folders.remove();
  });

  const indexDirectory = (): string => join(folders.root, 'storage', 'sandboxes');
  const start = async (detachedTimeoutMilliseconds = 60_000): ReturnType<typeof startSandbox> => {
    await live.entered();
    return startSandbox(specify(folders, { indexDirectory: indexDirectory(), detachedTimeoutMilliseconds }));
  };
  const answers = (): string[] =>
    sandboxes
      .list()
      .map(({ answer }) => answer)
      .sort();

  /** Enters a sandbox whose supervisor is the process `pid` of ours. */
  async function enter(id: string, socket: string, pid: number): Promise<void> {
    const process = identifyProcess(pid);
    assert.ok(process);
    const entry: SandboxIndexEntry = {
      ...{ id, socket, runDirectory: join(folders.root, id), workspace: folders.workspace, kind: 'agent' },
      ...{ hostName: hostname(), bootId: await readBootId() },
      ...{ supervisorPid: process.pid, supervisorStartTime: process.startTime },
    };
    await writeIndexEntry(indexDirectory(), entry);
  }

  it('has the live one within 0.5 s, and says within 2 s which do not answer', async () => {
    const { connection } = await start();
    const silent = createServer(() => undefined);
    const silentSocket = join(folders.root, 's');
    silent.listen(silentSocket);
    await once(silent, 'listening');
    const fifo = join(folders.root, 'f');
    await once(spawn('/usr/bin/mkfifo', [fifo]), 'close');
    await enter(ids[0], silentSocket, process.pid);
    await enter(ids[1], fifo, process.pid);

    sandboxes.start();
    await waitUntil(
      'the live one is listed',
      () => answers().includes('answering'),
      500,
      () => answers().join(),
    );
    await waitUntil(
      'the others do not answer',
      () => !answers().includes('asking'),
      1500,
      () => answers().join(),
    );
    assert.deepEqual(answers(), ['answering', 'notAnswering', 'notAnswering']);
    sandboxes.stop();
    silent.close();
    await connection.stop();
  });

  it('keeps no sandbox alive that nobody is attached to', async () => {
    const { connection, supervisorPid } = await start(1000);
    const [supervisor] = processesBelow(supervisorPid);
    assert.ok(supervisor);
    sandboxes.start();
    await waitUntil('it is listed', () => answers().includes('answering'));
    connection.dispose();
    await waitUntil('it has ended', () => stillRunning([supervisor]).length === 0, 10_000);
    await waitUntil('it is not listed', () => sandboxes.list().length === 0);
  });

  it('tells one of another version from the others, and ends it', async () => {
    await live.entered();
    const socket = join(folders.root, 'o');
    let stopped = 0;
    const older = createServer((stream) => {
      const connection = createMessageConnection(
        new SocketMessageReader(stream),
        new SocketMessageWriter(stream),
      );
      connection.onRequest(helloRequest, () => ({ protocolVersion: 999 }) as never);
      connection.onRequest(stopRequest, () => {
        stopped += 1;
        return { reason: 'stopped' as const };
      });
      connection.listen();
    });
    older.listen(socket);
    await once(older, 'listening');
    await enter(ids[0], socket, process.pid);
    sandboxes.start();
    await waitUntil('it has answered', () => answers().includes('otherVersion'));
    const connection = await connectSandbox(socket);
    assert.equal(connection.restriction?.code, 'supervisor.otherVersion');
    connection.dispose();
    await live.end(ids[0]);
    assert.equal(stopped, 1);
    sandboxes.stop();
    older.close();
  });

  it('ends one whose supervisor was stopped', async () => {
    const { connection, supervisorPid } = await start();
    await waitUntil('it runs', () => connection.status.phase === 'running');
    const id = connection.summary.id;
    process.kill(supervisorPid, 'SIGSTOP');
    sandboxes.start();
    await waitUntil(
      'it does not answer',
      () => answers().includes('notAnswering'),
      2500,
      () => answers().join(),
    );
    await live.end(id);
    await waitUntil('it is not listed', () => sandboxes.list().length === 0);
    assert.equal(identifyProcess(supervisorPid), undefined);
  });
});
