import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';
import { connectSandbox } from '../../src/launch/connect';
import { LiveSandboxes } from '../../src/launch/liveSandboxes';
import { SandboxRegistry } from '../../src/launch/sandboxRegistry';
import { startSupervisor } from '../../src/launch/startSupervisor';
import { noSecrets } from '../../src/sandbox/networkAccess';
import { helloRequest, protocolVersion, stopRequest } from '../../src/supervisor/protocol';
import { sandboxState } from '../../src/ui/status/statusText';
import { processesBelow } from '../support/processes';
import { assertGone, startRunning } from './support/runningSandbox';
import { specify, TestFolders } from './support/sandboxUnderTest';

/** The end of a sandbox, and what its index and its run directory take. */
const boundMilliseconds = 1500;

describe('a sandbox and a window of different versions of the extension', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  /** Our supervisor as one that says that it speaks this version of the protocol. @returns its bundle */
  function supervisorOfVersion(version: number): string {
    const repository = resolve(__dirname, '../../..');
    cpSync(join(repository, 'dist'), join(folders.root, 'dist'), { recursive: true });
    cpSync(join(repository, 'package.json'), join(folders.root, 'package.json'));
    const script = join(folders.root, 'dist/supervisor.js');
    const parts = readFileSync(script, 'utf8').split(`protocolVersion = ${protocolVersion};`);
    assert.equal(parts.length, 2, 'the bundle names its version once');
    writeFileSync(script, parts.join(`protocolVersion = ${version};`));
    return script;
  }

  for (const version of [protocolVersion - 1, protocolVersion + 1]) {
    it(`a supervisor of version ${version} is shown without a verdict, and ends when it is stopped`, async () => {
      const live = new LiveSandboxes(folders.root);
      await live.find();
      const { pid, runDirectory } = await startSupervisor({
        nodePath: process.execPath,
        script: supervisorOfVersion(version),
        specification: specify(folders, { indexDirectory: join(folders.root, 'sandboxes') }),
        secrets: noSecrets,
        environment: process.env,
        onLog: (line) => assert.fail(line),
      });
      const registry = new SandboxRegistry({
        findLive: () => live.find(),
        connect: connectSandbox,
        end: (id) => live.end(id),
        folders: () => Promise.resolve(new Set([folders.workspace])),
        readCrash: () => Promise.resolve(undefined),
        log: () => undefined,
      });
      try {
        const [known] = await registry.discover();
        assert(known);
        assert.equal(known.summary.supervisorPid, pid);
        assert.match(known.problem?.text ?? '', /another version/);
        assert.equal(sandboxState(known.status, Date.now()), 'notVerified');
        const processes = processesBelow(pid);
        const since = Date.now();
        await registry.stop(known.summary.id);
        assert.deepEqual(registry.list(), []);
        await assertGone({ processes, runDirectory }, folders, since, boundMilliseconds);
      } finally {
        registry.dispose();
      }
    });
  }

  it('a window of an older version can end one of this version', async () => {
    const sandbox = await startRunning(folders);
    const socket = createConnection(join(sandbox.runDirectory, 'control/supervisor.sock'));
    await once(socket, 'connect');
    const older = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
    older.listen();
    const answer = await older.sendRequest(helloRequest, { protocolVersion: protocolVersion - 1 });
    assert.equal(answer.protocolVersion, protocolVersion);
    assert.equal(answer.summary.supervisorPid, sandbox.supervisorPid);
    const since = Date.now();
    assert.equal((await older.sendRequest(stopRequest)).reason, 'stopped');
    older.dispose();
    socket.destroy();
    await assertGone(sandbox, folders, since, boundMilliseconds);
  });
});
