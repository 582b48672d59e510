import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { writeIndexEntry } from '../../src/host/sandboxIndex';
import { connectSandbox } from '../../src/launch/connect';
import type { SandboxConnection } from '../../src/launch/connection';
import { answerMilliseconds, HostSandboxes } from '../../src/launch/hostSandboxes';
import { LiveSandboxes } from '../../src/launch/liveSandboxes';
import { prepareSandbox } from '../../src/launch/prepare';
import { makeIndexDirectory } from '../../src/launch/storageFolders';
import { startOnce } from '../../src/launch/startOnce';
import { apptainer, shellImage } from '../support/environment';
import { liveEntry } from '../support/indexEntries';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { specify, startSandbox, TestFolders } from './support/sandboxUnderTest';
import { useSandboxes } from './support/startedSandboxes';

describe('the sandbox of a folder', () => {
  const sandboxes = useSandboxes();

  /** Does what a window does when somebody opens a shell in a folder that was opened under this path. */
  async function openIn(path: string): Promise<SandboxConnection> {
    const { folders } = sandboxes();
    const { specification } = await prepareSandbox({
      kind: 'shell',
      workspace: path,
      settings: {
        apptainerPath: apptainer(),
        image: shellImage(),
        agentHome: 'workspace',
        network: 'none',
        detachedTimeoutMilliseconds: 60_000,
        temporaryFilesLimitBytes: 2 ** 30,
      },
      ptyModules: specify(folders).ptyModules,
      storageDirectory: join(folders.root, 'storage'),
      serverFolders: [],
      environment: process.env,
      platform: process.platform,
      uid: process.getuid?.() ?? 0,
    });
    const socket = await startOnce(specification, async () => {
      const { runDirectory } = await sandboxes().start(specification);
      return join(runDirectory, 'control/supervisor.sock');
    });
    const connection = await connectSandbox(socket);
    await sandboxes().runs(connection);
    return connection;
  }

  it('is one, whether it is opened by its real path, by a link, or by both in the same second', async () => {
    const { folders } = sandboxes();
    const link = join(folders.root, 'link');
    symlinkSync(folders.workspace, link);
    const opened = await Promise.all([link, folders.workspace, link].map(openIn));
    const later = await openIn(link);
    assert.equal(new Set([...opened, later].map(({ summary }) => summary.id)).size, 1);
    const screen = await ScreenReader.attach(later);
    screen.type('echo "at $(pwd) $OLDPWD."; touch here\r');
    await screen.shows(new RegExp(`at ${folders.workspace} `));
    await waitUntil('it wrote there', () => existsSync(join(folders.workspace, 'here')));
  });

  it('is another than that of a folder whose name differs in case', async () => {
    const { folders } = sandboxes();
    const upper = join(folders.root, 'Workspace');
    mkdirSync(upper);
    const [one, other] = await Promise.all([folders.workspace, upper].map(openIn));
    assert(one && other);
    assert.notEqual(one.summary.id, other.summary.id);
    (await ScreenReader.attach(one)).type('touch mine\r');
    await waitUntil('it wrote', () => existsSync(join(folders.workspace, 'mine')));
    assert.equal(existsSync(join(upper, 'mine')), false);
  });
});

describe('sandboxes that do not answer', () => {
  let folders: TestFolders;
  let server: Server;
  const held: Socket[] = [];
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => {
    held.forEach((socket) => socket.destroy());
    server.close();
    folders.remove();
  });

  it('are told from the live one, which does not wait for them', async () => {
    const storage = join(folders.root, 'storage');
    const index = await makeIndexDirectory(storage);
    const { connection } = await startSandbox(specify(folders, { indexDirectory: index }));
    const silent = join(folders.root, 'silent.sock');
    server = createServer((socket) => held.push(socket)).listen(silent);
    const fifo = join(folders.root, 'fifo');
    execFileSync('/usr/bin/mkfifo', [fifo]);
    for (const [id, socket] of [
      ['1'.repeat(16), silent],
      ['2'.repeat(16), fifo],
      ['3'.repeat(16), join(folders.root, 'gone.sock')],
    ] as const) {
      await writeIndexEntry(index, await liveEntry({ id, socket }));
    }
    const live = new LiveSandboxes(storage);
    const sandboxes = new HostSandboxes({
      entries: () => live.entered(),
      watch: (listener, onFailure) => live.watch(listener, onFailure),
      connect: (socket) =>
        connectSandbox(socket, { observes: true, patienceMilliseconds: answerMilliseconds }),
      onChange: () => undefined,
      onError: () => undefined,
    });
    const since = Date.now();
    sandboxes.start();
    try {
      const having = (answer: string): number =>
        sandboxes.list().filter((sandbox) => sandbox.answer === answer).length;
      await waitUntil('the live one is listed', () => having('answering') === 1);
      assert.ok(Date.now() - since < 500, `live after ${Date.now() - since} ms`);
      await waitUntil('the others are known not to answer', () => having('notAnswering') === 3);
      assert.ok(Date.now() - since < 2000, `known after ${Date.now() - since} ms`);
      assert.equal(having('answering'), 1);
    } finally {
      sandboxes.stop();
      await connection.stop();
    }
  });
});
