import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endAbandoned, sweepDeadEntries } from '../../../src/host/abandoned';
import { ownHomeUse } from '../../../src/host/homeFolder';
import { homeLockPath, takeHomeLock } from '../../../src/host/homeLock';
import {
  identifyProcess,
  type ProcessIdentity,
  readMachineId,
  sessionMembers,
} from '../../../src/host/processIdentity';
import { isRunning } from '../../../src/host/procfs';
import { readIndexEntries, type SandboxIndexEntry, writeIndexEntry } from '../../../src/host/sandboxIndex';
import { liveEntry } from '../../support/indexEntries';
import { useTemporaryFolder } from '../../support/temporaryFolder';

/** Runs and can be killed; leads a session of its own, as the starter of a sandbox does. */
class Sleepers {
  private readonly children: ChildProcess[] = [];

  start(environment: Record<string, string> = {}): ProcessIdentity {
    const child = spawn('/bin/sleep', ['60'], { detached: true, env: environment });
    this.children.push(child);
    const identity = identifyProcess(child.pid ?? 0);
    assert(identity);
    return identity;
  }

  /** A member of a session whose leader has ended. */
  async startOrphan(): Promise<{ leader: ProcessIdentity; member: ProcessIdentity }> {
    const shell = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; read -r word'], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.children.push(shell);
    const [line] = (await once(shell.stdout, 'data')) as [Buffer];
    const leader = identifyProcess(shell.pid ?? 0);
    const member = identifyProcess(Number(line.toString()));
    assert(leader && member);
    shell.stdin.end();
    await once(shell, 'exit');
    this.members.push(member);
    return { leader, member };
  }

  private readonly members: ProcessIdentity[] = [];

  end(): void {
    this.children.forEach((child) => child.kill('SIGKILL'));
    this.members.filter(runs).forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
  }
}

const runs = ({ pid, startTime }: ProcessIdentity): boolean => isRunning(pid, startTime);

/** Of a process that ended. */
const deadPid = (): number => spawnSync('/bin/true').pid;

describe('sessionMembers', () => {
  it('takes no session for that of a leader who had ended long before it began', async () => {
    const sleepers = new Sleepers();
    try {
      const { leader, member } = await sleepers.startOrphan();
      const earlier = { ...leader, startTime: String(Number(leader.startTime) - 1000) };
      assert.deepEqual(sessionMembers(earlier, 2000), [member]);
      assert.deepEqual(sessionMembers(earlier, 500), []);
      const later = { ...leader, startTime: String(Number(member.startTime) + 1) };
      assert.deepEqual(sessionMembers(later), []);
    } finally {
      sleepers.end();
    }
  });
});

describe('endAbandoned', () => {
  const folder = useTemporaryFolder();
  let sleepers: Sleepers;
  beforeEach(() => {
    sleepers = new Sleepers();
    mkdirSync(join(folder(), 'index'));
    mkdirSync(join(folder(), 'sandboxed-agent-run/inside'), { recursive: true });
  });
  afterEach(() => sleepers.end());

  async function enter(more: Partial<SandboxIndexEntry>): Promise<SandboxIndexEntry> {
    const entry = await liveEntry({
      runDirectory: join(folder(), 'sandboxed-agent-run'),
      supervisorPid: deadPid(),
      ...more,
    });
    await writeIndexEntry(join(folder(), 'index'), entry);
    return entry;
  }

  const end = async (more: Partial<SandboxIndexEntry>) =>
    endAbandoned(join(folder(), 'index'), await enter(more));

  it('ends every part that the index knows, and removes the run directory and the entry', async () => {
    const [supervisor, init, starter, reaper] = [1, 2, 3, 4].map(() => sleepers.start()) as [
      ProcessIdentity,
      ProcessIdentity,
      ProcessIdentity,
      ProcessIdentity,
    ];
    process.kill(supervisor.pid, 'SIGSTOP');
    const done = await end({
      supervisorPid: supervisor.pid,
      supervisorStartTime: supervisor.startTime,
      init,
      starter,
      reaper,
    });
    assert.deepEqual(done?.killed, ['supervisor', 'container', 'apptainer', 'reaper']);
    assert.deepEqual([supervisor, init, starter, reaper].filter(runs), []);
    assert.deepEqual(done.left, []);
    assert.equal(done.isRemoved, true);
    assert.deepEqual(readdirSync(folder()), ['index']);
    assert.deepEqual(readdirSync(join(folder(), 'index')), []);
  });

  it('gives back the lock on a home, unless it is somebody else’s', async () => {
    const [own, other] = [await ownHomeUse('1'.repeat(16)), await ownHomeUse('2'.repeat(16))];
    for (const [holder, isLeft] of [
      [own, false],
      [other, true],
    ] as const) {
      await takeHomeLock(folder(), holder);
      const done = await end({ homeLock: { folder: folder(), holder: own } });
      assert.equal(done?.isRemoved, true);
      assert.equal(existsSync(homeLockPath(folder())), isLeft);
    }
  });

  it('ends what is left of the session of a starter that has ended', async () => {
    const { leader, member } = await sleepers.startOrphan();
    const done = await end({ starter: leader });
    assert.deepEqual(done?.killed, ['apptainer']);
    assert.equal(runs(member), false);
  });

  it('ends what names the run directory when the starter was not entered yet', async () => {
    const named = sleepers.start({ CONFIG: `{"source":"${folder()}/sandboxed-agent-run/inside"}` });
    const other = sleepers.start({ CONFIG: `{"source":"${folder()}/sandboxed-agent-runs/inside"}` });
    assert.deepEqual((await end({}))?.killed, ['apptainer']);
    assert.deepEqual([named, other].map(runs), [false, true]);
  });

  it('kills nobody whose start time is another', async () => {
    const innocent = sleepers.start();
    const wrong = { ...innocent, startTime: '1' };
    const done = await end({
      supervisorPid: innocent.pid,
      supervisorStartTime: '1',
      init: wrong,
      reaper: wrong,
      starter: wrong,
    });
    assert.deepEqual(done?.killed, []);
    assert.equal(runs(innocent), true);
  });

  it('kills nobody after the computer was started again, and touches nothing of another one', async () => {
    const innocent = sleepers.start();
    assert.deepEqual((await end({ init: innocent, bootId: 'earlier' }))?.killed, []);
    for (const other of [{ hostName: 'elsewhere' }, { machineId: 'another' }]) {
      mkdirSync(join(folder(), 'sandboxed-agent-run'), { recursive: true });
      assert.equal(await end({ init: innocent, ...other }), undefined);
      assert.equal(existsSync(join(folder(), 'sandboxed-agent-run')), true);
      assert.equal((await readIndexEntries(join(folder(), 'index'))).length, 1);
    }
    assert.equal(runs(innocent), true);
  });

  it('may be called by two at the same time', async () => {
    const entry = await enter({ starter: sleepers.start() });
    const done = await Promise.all([1, 2].map(() => endAbandoned(join(folder(), 'index'), entry)));
    assert.ok(done.some((one) => one?.killed.includes('apptainer')));
    assert.equal(existsSync(entry.runDirectory), false);
  });
});

describe('sweepDeadEntries', () => {
  const folder = useTemporaryFolder();

  /** Enters a sandbox with a run directory of its own that holds a file. */
  async function enter(
    id: string,
    runName: string,
    more: Partial<SandboxIndexEntry>,
  ): Promise<SandboxIndexEntry> {
    const runDirectory = join(folder(), runName);
    mkdirSync(runDirectory, { recursive: true });
    writeFileSync(join(runDirectory, 'file'), '');
    const entry = await liveEntry({ id, runDirectory, ...more });
    await writeIndexEntry(join(folder(), 'index'), entry);
    return entry;
  }

  beforeEach(() => mkdirSync(join(folder(), 'index')));

  it('clears away what dead supervisors and earlier boots left, and keeps the living', async () => {
    const dead = await enter('1'.repeat(16), 'sandboxed-agent-dead', { supervisorPid: deadPid() });
    const earlier = await enter('2'.repeat(16), 'sandboxed-agent-earlier', { bootId: 'earlier' });
    const alive = await enter('3'.repeat(16), 'sandboxed-agent-alive', {});
    const elsewhere = await enter('4'.repeat(16), 'sandboxed-agent-elsewhere', { hostName: 'elsewhere' });
    const swept = await sweepDeadEntries(join(folder(), 'index'));
    assert.deepEqual(swept.map(({ entry }) => entry.id).sort(), [dead.id, earlier.id]);
    const left = await readIndexEntries(join(folder(), 'index'));
    assert.deepEqual(left.map(({ id }) => id).sort(), [alive.id, elsewhere.id]);
    assert.deepEqual(
      [dead, earlier, alive, elsewhere].map(({ runDirectory }) => existsSync(runDirectory)),
      [false, false, true, true],
    );
  });

  it('leaves an entry of another boot whose run directory is not here: it may be of another machine', async () => {
    const index = join(folder(), 'index');
    const recent = await liveEntry({ id: '1'.repeat(16), bootId: 'other' });
    const unnamed = await liveEntry({ id: '2'.repeat(16), bootId: 'other', machineId: '' });
    const old = await liveEntry({ id: '3'.repeat(16), bootId: 'other' });
    for (const entry of [recent, unnamed, old]) await writeIndexEntry(index, entry);
    const longAgo = Date.now() / 1000 - 31 * 24 * 60 * 60;
    utimesSync(join(index, `${old.id}.json`), longAgo, longAgo);
    const swept = await sweepDeadEntries(index);
    assert.deepEqual(
      swept.map(({ entry }) => entry.id),
      [old.id],
    );
  });

  it('clears away an entry of another boot that names this machine', async () => {
    const index = join(folder(), 'index');
    const machineId = await readMachineId();
    await writeIndexEntry(index, await liveEntry({ bootId: 'other', machineId }));
    // a machine without a name can't be told from others
    assert.equal((await sweepDeadEntries(index)).length, machineId ? 1 : 0);
  });

  it('removes no folder that is not a run directory, and follows no link', async () => {
    const precious = join(folder(), 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), '');
    symlinkSync(precious, join(folder(), 'sandboxed-agent-link'));
    const dead = { supervisorPid: deadPid() };
    await enter('1'.repeat(16), 'other', dead);
    for (const [digit, runDirectory] of [
      ['2', join(folder(), 'sandboxed-agent-link')],
      ['3', `${join(folder(), 'sandboxed-agent-link')}/`],
      ['4', `${folder()}/sandboxed-agent-x/../precious`],
      ['5', 'sandboxed-agent-relative'],
      ['6', `${folder()}/sandboxed-agent-link/.`],
    ] as const) {
      const entry = await liveEntry({ id: digit.repeat(16), runDirectory, ...dead });
      await writeIndexEntry(join(folder(), 'index'), entry);
    }
    assert.equal((await sweepDeadEntries(join(folder(), 'index'))).length, 6);
    assert.equal(existsSync(join(precious, 'file')), true);
    assert.equal(existsSync(join(folder(), 'other', 'file')), true);
  });
});
