import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endAbandoned, sweepDeadEntries, type SandboxPart } from '../../src/host/abandoned';
import { readIndexEntries, type SandboxIndexEntry } from '../../src/host/sandboxIndex';
import { processStat } from '../../src/host/procfs';
import { isStale } from '../../src/sandbox/verdict';
import { sandboxState } from '../../src/ui/status/statusText';
import { image } from '../support/environment';
import { processesBelow, stillRunning } from '../support/processes';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import {
  assertGone,
  leftOf,
  pidOf,
  type RunningSandbox,
  signal,
  startRunning,
} from './support/runningSandbox';
import { endOf, identified, TestFolders } from './support/sandboxUnderTest';

/** For what ends at once; measured: 0.1 to 0.4 s. */
const atOnce = 1000;
/** For what is noticed by the next verdict: two seconds, and the end of a container. */
const atNextVerdict = 3000;
/** For what a sweep has to end, see endAbandoned. */
const atSweep = 1500;

/** Sweeps as soon as the supervisor is dead, and says what still had to be killed. */
async function sweep({ connection }: RunningSandbox, folders: TestFolders): Promise<readonly SandboxPart[]> {
  const pid = connection.summary.supervisorPid;
  await waitUntil('the supervisor is dead', () => ['Z', undefined].includes(processStat(pid)?.state));
  const [abandoned] = await sweepDeadEntries(folders.index);
  assert.equal(abandoned?.isRemoved, true);
  return abandoned.killed;
}

describe('a part of a sandbox that is killed or frozen', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  const onlyEntry = async (): Promise<SandboxIndexEntry> => {
    const [entry] = await readIndexEntries(folders.index);
    assert(entry);
    return entry;
  };

  for (const parts of [['supervisor'], ['supervisor', 'starter'], ['supervisor', 'init']] as const) {
    it(`${parts.join(' and ')} killed: the reaper ends everything`, async () => {
      const sandbox = await startRunning(folders);
      const since = Date.now();
      signal(sandbox, parts, 'SIGKILL');
      await assertGone(sandbox, folders, since, atOnce);
    });
  }

  it('reaper killed: Stop ends everything', async () => {
    const sandbox = await startRunning(folders);
    signal(sandbox, ['reaper'], 'SIGKILL');
    const since = Date.now();
    await sandbox.connection.stop();
    await assertGone(sandbox, folders, since, atOnce);
  });

  for (const [part, reason, bound, told] of [
    ['starter', 'failed', atOnce, /Apptainer was killed/],
    ['imageServer', 'broken', atNextVerdict, /serves the image .* has ended/],
    // Apptainer ends by the signal that its container ended by
    ['init', 'failed', atOnce, /Apptainer was killed/],
    ['program', 'exited', atOnce, /^$/],
  ] as const) {
    it(`${part} killed: the supervisor ends everything and says so`, async () => {
      const sandbox = await startRunning(folders);
      const ended = endOf(sandbox.connection);
      const screen = await ScreenReader.attach(sandbox.connection);
      // a shell that can't be read from its image any more while it starts ends by itself before the verdict
      screen.type('echo re""ady\r');
      await screen.shows(/ready/);
      const since = Date.now();
      signal(sandbox, [part], 'SIGKILL');
      const end = await ended;
      await assertGone(sandbox, folders, since, bound);
      assert.equal(end.reason, reason);
      assert.match(end.explanation?.text ?? '', told);
      assert.equal(reason === 'exited' ? end.exitCode : 137, 137);
    });
  }

  for (const more of [[], ['starter'], ['init'], ['imageServer']] as const) {
    const parts = ['supervisor', 'reaper', ...more] as const;
    it(`${parts.join(', ')} killed: the sweep ends what is left`, async () => {
      const sandbox = await startRunning(folders);
      signal(sandbox, parts, 'SIGKILL');
      const since = Date.now();
      const done = await sweep(sandbox, folders);
      await assertGone(sandbox, folders, since, atSweep);
      // the others end by themselves, or just not yet
      assert.ok(more[0] !== 'starter' || done.join() === 'apptainer', done.join());
    });
  }

  it('supervisor and reaper killed, the shell deaf and stopped: the sweep ends it', async () => {
    const sandbox = await startRunning(folders);
    const screen = await ScreenReader.attach(sandbox.connection);
    screen.type(`trap '' HUP INT QUIT TERM; (setsid sleep 300 &); echo de""af; kill -STOP $$\r`);
    await screen.shows(/deaf/);
    const processes = await waitUntil('the sleeper is there', () => {
      const all = processesBelow(sandbox.supervisorPid);
      return all.some(({ commandLine }) => commandLine.includes('sleep 300')) ? all : undefined;
    });
    signal(sandbox, ['supervisor', 'reaper'], 'SIGKILL');
    const since = Date.now();
    assert.deepEqual(await sweep(sandbox, folders), ['container']);
    await assertGone({ ...sandbox, processes }, folders, since, atSweep);
  });

  it('supervisor killed, reaper frozen: the sweep ends both', async () => {
    const sandbox = await startRunning(folders);
    signal(sandbox, ['reaper'], 'SIGSTOP');
    signal(sandbox, ['supervisor'], 'SIGKILL');
    const since = Date.now();
    assert.ok((await sweep(sandbox, folders)).includes('reaper'));
    await assertGone(sandbox, folders, since, atSweep);
  });

  it('supervisor frozen: the verdict grows stale, and the sandbox can be ended all the same', async () => {
    const sandbox = await startRunning(folders);
    signal(sandbox, ['supervisor'], 'SIGSTOP');
    const { connection } = sandbox;
    await waitUntil('it is stale', () => {
      const { verdict } = connection.status;
      return verdict !== undefined && isStale(verdict, Date.now());
    });
    const since = Date.now();
    const done = await endAbandoned(folders.index, await onlyEntry());
    assert.ok(done?.killed.includes('supervisor'));
    await assertGone(sandbox, folders, since, atSweep);
  });

  for (const kind of ['shell', 'agent'] as const) {
    it(`everything of one with a${kind === 'agent' ? 'n' : ''} ${kind} frozen for a while, as by a suspended computer: it goes on and is verified again`, async () => {
      const sandbox = await startRunning(folders, {
        kind,
        ...(kind === 'agent' && { image: identified(image()) }),
      });
      const { connection } = sandbox;
      const state = (): string => sandboxState(connection.status, Date.now());
      const pids = sandbox.processes.map(({ pid }) => pid).reverse();
      pids.forEach((pid) => process.kill(pid, 'SIGSTOP'));
      await waitUntil('it is not verified', () => state() === 'notVerified');
      pids.forEach((pid) => process.kill(pid, 'SIGCONT'));
      await waitUntil('it is verified again', () => state() === 'isolatedNoNetwork');
      const { time } = connection.status.verdict ?? { time: 0 };
      await waitUntil('and once more', () => (connection.status.verdict?.time ?? 0) > time);
      assert.equal(state(), 'isolatedNoNetwork');
      assert.deepEqual(stillRunning(sandbox.processes), sandbox.processes);
      const since = Date.now();
      await connection.stop();
      await assertGone(sandbox, folders, since, atOnce);
    });
  }

  for (const [how, change] of [
    ['removed', (path: string) => rmSync(path, { recursive: true })],
    ['half there', (path: string) => rmSync(join(path, 'control'), { recursive: true })],
    [
      'in the way of itself',
      (path: string) => mkdirSync(join(path, 'inside/opencode/x/y'), { recursive: true }),
    ],
  ] as const) {
    it(`run directory ${how}: Stop and the sweep both end everything`, async () => {
      const stopped = await startRunning(folders);
      change(stopped.runDirectory);
      let since = Date.now();
      await stopped.connection.stop();
      await assertGone(stopped, folders, since, atOnce);

      const swept = await startRunning(folders);
      change(swept.runDirectory);
      signal(swept, ['supervisor', 'reaper'], 'SIGKILL');
      since = Date.now();
      await sweep(swept, folders);
      await assertGone(swept, folders, since, atSweep);
    });
  }
});

describe('opencode and its companion', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  const startAgent = () => startRunning(folders, { kind: 'agent', image: identified(image()) });

  it('both frozen, and so deaf to HUP and TERM: Stop ends everything', async () => {
    const sandbox = await startAgent();
    signal(sandbox, ['program', 'companion'], 'SIGSTOP');
    const since = Date.now();
    await sandbox.connection.stop();
    await assertGone(sandbox, folders, since, atOnce);
  });

  it('companion frozen and supervisor killed: the reaper ends everything', async () => {
    const sandbox = await startAgent();
    signal(sandbox, ['companion'], 'SIGSTOP');
    const since = Date.now();
    signal(sandbox, ['supervisor'], 'SIGKILL');
    await assertGone(sandbox, folders, since, atOnce);
  });

  it('supervisor and reaper killed: the companion ends the agent without a sweep', async () => {
    const sandbox = await startAgent();
    const program = pidOf('program', sandbox.supervisorPid);
    assert(program);
    const since = Date.now();
    signal(sandbox, ['supervisor', 'reaper'], 'SIGKILL');
    await waitUntil('all its processes are gone', () => {
      const left = leftOf(sandbox, folders).filter((line) => /^\d+ /.test(line));
      return left.length === 0;
    });
    assert.ok(Date.now() - since < atOnce, `${Date.now() - since} ms`);
    assert.deepEqual(await sweep(sandbox, folders), []);
    assert.deepEqual(leftOf(sandbox, folders), []);
  });

  it('companion frozen, supervisor and reaper killed: the sweep ends everything', async () => {
    const sandbox = await startAgent();
    signal(sandbox, ['companion', 'program'], 'SIGSTOP');
    signal(sandbox, ['supervisor', 'reaper'], 'SIGKILL');
    const since = Date.now();
    assert.deepEqual(await sweep(sandbox, folders), ['container']);
    await assertGone(sandbox, folders, since, atSweep);
  });

  it('companion killed: everything ends', async () => {
    const sandbox = await startAgent();
    const ended = endOf(sandbox.connection);
    const since = Date.now();
    signal(sandbox, ['companion'], 'SIGKILL');
    assert.deepEqual(await ended, { reason: 'exited', exitCode: 137 });
    await assertGone(sandbox, folders, since, atOnce);
  });
});
