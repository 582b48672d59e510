import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeCompiledCodeFolder } from '../../src/host/compiledCode';
import { processStat, readProc } from '../../src/host/procfs';
import { connectSandbox } from '../../src/launch/connect';
import { spawnSupervisor, startSupervisor, type WaitingSupervisor } from '../../src/launch/startSupervisor';
import { noSecrets } from '../../src/sandbox/networkAccess';
import { UserError } from '../../src/sandbox/userError';
import { vscodeHost } from '../support/environment';
import { type KnownProcess, processesBelow, stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { bundles, endOf, nodePtyFolder, specify, TestFolders } from './support/sandboxUnderTest';

const script = join(bundles, 'supervisor.js');

/** Those of our children that are supervisors. */
function supervisors(): KnownProcess[] {
  return processesBelow(process.pid).filter(({ commandLine }) => commandLine.includes(script));
}

/** Whether it has loaded node-pty and reads its input, of which there is none. */
function isWaiting(pid: number): boolean {
  const hasPty = readProc(`${pid}/maps`)?.includes('pty.node') === true;
  return (
    hasPty && processStat(pid)?.state === 'S' && readProc(`${pid}/syscall`)?.startsWith('0 0x0 ') === true
  );
}

describe('a supervisor that is loaded before there is something to keep', function () {
  this.timeout(60_000);
  let folders: TestFolders;
  let supervisor: WaitingSupervisor;
  let known: KnownProcess;

  beforeEach(async () => {
    folders = new TestFolders();
    supervisor = spawnSupervisor({
      ...{ nodePath: process.execPath, script, ptyModules: [nodePtyFolder], environment: process.env },
      onLog: (line) => console.error(line),
    });
    known = await waitUntil('it waits', () => supervisors().find(({ pid }) => isWaiting(pid)));
  });

  afterEach(async () => {
    supervisor.dispose();
    await waitUntil('it has ended', () => stillRunning([known]).length === 0);
    folders.remove();
  });

  it('keeps what it is told to, however late', async () => {
    const { socket, pid } = await supervisor.start({ specification: specify(folders), secrets: noSecrets });
    assert.equal(pid, known.pid);
    // whoever has told it can let go
    supervisor.dispose();
    const connection = await connectSandbox(socket);
    await waitUntil('it runs', () => connection.status.phase === 'running');
    assert.equal(connection.status.verdict?.state, 'isolated');
    const ended = endOf(connection);
    await connection.stop();
    assert.equal((await ended).reason, 'stopped');
  });

  it('ends when nothing comes of it', async () => {
    supervisor.dispose();
    await waitUntil('it has ended', () => stillRunning([known]).length === 0);
  });

  it('says why it keeps nothing', async () => {
    process.kill(known.pid, 'SIGKILL');
    await waitUntil('it has ended', () => stillRunning([known]).length === 0);
    await assert.rejects(
      supervisor.start({ specification: specify(folders), secrets: noSecrets }),
      (error: unknown) => error instanceof UserError && error.code === 'supervisor.silent',
    );
  });
});

describe('what a supervisor’s Node.js has compiled', function () {
  this.timeout(60_000);

  it('is kept once the sandbox runs, where it is told to', async () => {
    const folders = new TestFolders();
    const compiledCode = await makeCompiledCodeFolder(folders.root, '1.0.0');
    const { socket } = await startSupervisor({
      ...{ nodePath: vscodeHost().nodeBinary, script, compiledCode, environment: process.env },
      ...{ specification: specify(folders), secrets: noSecrets, onLog: (line) => console.error(line) },
    });
    const connection = await connectSandbox(socket);
    const files = () => readdirSync(compiledCode ?? '', { recursive: true, withFileTypes: true });
    await waitUntil('there is a file', () => files().some((entry) => entry.isFile()));
    const ended = endOf(connection);
    await connection.stop();
    await ended;
    folders.remove();
  });
});

describe('a waiting supervisor whose starter is gone', function () {
  this.timeout(60_000);

  it('ends by itself, without a word', async () => {
    const child = spawn(process.execPath, [script, nodePtyFolder], {
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (data) => (said += String(data)));
    child.stderr.on('data', (data) => (said += String(data)));
    const ended = once(child, 'close');
    await waitUntil('it waits', () => isWaiting(child.pid ?? 0));
    // what the kernel does when a process ends
    child.stdin.destroy();
    await ended;
    assert.equal(said, '');
  });
});
