import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readIndexEntries } from '../../src/host/sandboxIndex';
import { connectSandbox } from '../../src/launch/connect';
import { processesBelow, stillRunning, type KnownProcess } from '../support/processes';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { assertGone as assertAllGone, pidOf, startRunning } from './support/runningSandbox';
import { endOf, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

/** The bound of every ending: a second. */
const boundMilliseconds = 1000;

describe('a sandbox ends for certain', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  const running = () => startRunning(folders);
  const assertGone = (
    processes: readonly KnownProcess[],
    runDirectory: string,
    since: number,
  ): Promise<void> => assertAllGone({ processes, runDirectory }, folders, since, boundMilliseconds);

  it('and not before: its first descriptors are never free for a thread that is just being started', async () => {
    const { connection, supervisorPid } = await running();
    // libuv aborts the process when it closes one of these numbers, which it was given by chance
    for (const descriptor of [0, 1, 2]) {
      assert.match(readlinkSync(`/proc/${supervisorPid}/fd/${descriptor}`), /^socket:/);
    }
    await connection.stop();
  });

  it('when it is stopped', async () => {
    const { connection, processes, runDirectory } = await running();
    const since = Date.now();
    assert.equal((await connection.stop()).reason, 'stopped');
    await assertGone(processes, runDirectory, since);
  });

  it('when it is stopped, though another window does not hear of it: only who has to tell it waits', async () => {
    const { connection, supervisorPid, processes, runDirectory } = await running();
    const [entry] = await readIndexEntries(folders.index);
    assert.ok(entry);
    const silent = createConnection(entry.socket);
    await once(silent, 'connect');
    const isClosed = once(silent, 'close');
    const teller = [supervisorPid, pidOf('reaper', supervisorPid)];
    const others = processes.filter(({ pid }) => !teller.includes(pid));
    const since = Date.now();
    await connection.stop();
    // who has heard of the end may start the next one at once
    const entries = await readIndexEntries(folders.index);
    assert.ok(entries.every(({ isOver }) => isOver));
    await assertGone(others, runDirectory, since);
    assert.ok(!silent.destroyed, 'the other window has not been let go of');
    await isClosed;
    await waitUntil('all is gone', () => stillRunning(processes).length === 0);
  });

  it('when its program ends, and says with which status', async () => {
    const { connection, processes, runDirectory } = await running();
    const ended = endOf(connection);
    connection.sendInput('exit 7\r');
    assert.deepEqual(await ended, { reason: 'exited', exitCode: 7 });
    await assertGone(processes, runDirectory, Date.now());
  });

  it('when the supervisor is killed', async () => {
    const { supervisorPid, processes, runDirectory } = await running();
    const since = Date.now();
    process.kill(supervisorPid, 'SIGKILL');
    await assertGone(processes, runDirectory, since);
  });

  it('when the supervisor is asked to end', async () => {
    const { supervisorPid, processes, runDirectory } = await running();
    const since = Date.now();
    process.kill(supervisorPid, 'SIGTERM');
    await assertGone(processes, runDirectory, since);
  });

  it('when its programs ignore every signal that can be ignored, and stopped themselves', async () => {
    const { connection, supervisorPid, processes, runDirectory } = await running();
    const screen = await ScreenReader.attach(connection);
    screen.type(`trap '' HUP INT QUIT TERM TSTP; (setsid sleep 300 &); echo de""af; kill -STOP $$\r`);
    await screen.shows(/deaf/);
    const all = await waitUntil('the sleeper is there', () => {
      const found = processesBelow(supervisorPid);
      return found.some(({ commandLine }) => commandLine.includes('sleep 300')) ? found : undefined;
    });
    const since = Date.now();
    await connection.stop();
    await assertGone([...processes, ...all], runDirectory, since);
  });

  it('when the last window has been gone for the time of the setting', async () => {
    const started = await startSandbox(specify(folders, { detachedTimeoutMilliseconds: 0 }));
    await waitUntil('the sandbox runs', () => started.connection.status.phase === 'running');
    const processes = processesBelow(started.supervisorPid);
    const since = Date.now();
    started.connection.dispose();
    await assertGone(processes, started.runDirectory, since);
  });

  it('when the time of the setting is over since VS Code’s server was killed with all that is its', async () => {
    // a session of its own, as the server has
    const server = spawn(process.execPath, [join(__dirname, 'support/extensionHost.js')], {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const detachedTimeoutMilliseconds = 3000;
    server.stdin.end(JSON.stringify(specify(folders, { detachedTimeoutMilliseconds })));
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    const { supervisorPid, runDirectory } = JSON.parse(line.toString()) as Record<string, string>;
    assert(runDirectory);
    const processes = processesBelow(Number(supervisorPid));
    assert.ok(processes.length >= 6);
    const since = Date.now();
    process.kill(-(server.pid ?? 0), 'SIGKILL');
    await once(server, 'close');
    await delay(detachedTimeoutMilliseconds / 2);
    assert.equal(stillRunning(processes).length, processes.length);
    await assertAllGone(
      { processes, runDirectory },
      folders,
      since,
      detachedTimeoutMilliseconds + boundMilliseconds,
    );
    assert.ok(Date.now() - since >= detachedTimeoutMilliseconds);
  });

  it('and goes on when a window goes away and another one comes', async () => {
    const { connection, processes, supervisorPid, runDirectory } = await running();
    connection.dispose();
    const again = await connectSandbox(join(runDirectory, 'control/supervisor.sock'));
    assert.equal(again.summary.supervisorPid, supervisorPid);
    assert.equal(stillRunning(processes).length, processes.length);
    await again.stop();
  });

  for (const when of [0, 20, 60, 90, 120, 200]) {
    it(`when the supervisor is killed ${when} ms after it was started`, async () => {
      const { supervisorPid, runDirectory } = await startSandbox(specify(folders));
      await delay(when);
      const processes = processesBelow(supervisorPid);
      const since = Date.now();
      process.kill(supervisorPid, 'SIGKILL');
      await assertGone(processes, runDirectory, since);
    });

    it(`when it is stopped ${when} ms after it was started`, async () => {
      const { connection, supervisorPid, runDirectory } = await startSandbox(specify(folders));
      await delay(when);
      const processes = processesBelow(supervisorPid);
      const since = Date.now();
      await connection.stop();
      await assertGone(processes, runDirectory, since);
    });
  }
});
