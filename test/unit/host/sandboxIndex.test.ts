import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readBootId } from '../../../src/host/processIdentity';
import { processStat } from '../../../src/host/procfs';
import {
  isAlive,
  readIndexEntries,
  removeIndexEntry,
  type SandboxIndexEntry,
  sweepDeadEntries,
  writeIndexEntry,
} from '../../../src/host/sandboxIndex';
import { useTemporaryFolder } from '../../support/temporaryFolder';

/** An entry whose supervisor is this very process. */
async function liveEntry(more: Partial<SandboxIndexEntry> = {}): Promise<SandboxIndexEntry> {
  const stat = processStat(process.pid);
  assert(stat);
  return {
    id: '0123456789abcdef',
    hostName: hostname(),
    bootId: await readBootId(),
    runDirectory: '/tmp/sandboxed-agent-missing',
    socket: '/tmp/sandboxed-agent-missing/control/supervisor.sock',
    workspace: '/data/project',
    kind: 'agent',
    supervisorPid: process.pid,
    supervisorStartTime: stat.startTime,
    ...more,
  };
}

describe('the index of sandboxes', () => {
  const index = useTemporaryFolder();

  it('keeps entries, for us alone, and nothing else', async () => {
    const entry = await liveEntry();
    await writeIndexEntry(index(), entry);
    await writeIndexEntry(index(), { ...entry, kind: 'shell' });
    assert.deepEqual(await readIndexEntries(index()), [{ ...entry, kind: 'shell' }]);
    assert.deepEqual(readdirSync(index()), [`${entry.id}.json`]);
    assert.equal(statSync(join(index(), `${entry.id}.json`)).mode & 0o777, 0o600);
    await removeIndexEntry(index(), entry.id);
    await removeIndexEntry(index(), entry.id);
    assert.deepEqual(await readIndexEntries(index()), []);
  });

  it('is empty when it is missing', async () => {
    assert.deepEqual(await readIndexEntries(join(index(), 'missing')), []);
  });

  it('writes and removes nothing outside', async () => {
    await assert.rejects(writeIndexEntry(index(), await liveEntry({ id: '../../etc/passwd' })));
    await assert.rejects(removeIndexEntry(index(), '../0123456789abcdef'));
  });

  it('passes over what is no entry', async () => {
    const entry = await liveEntry();
    const write = (name: string, text: string): void => writeFileSync(join(index(), name), text);
    write('1111111111111111.json', 'not JSON');
    write('2222222222222222.json', '{}');
    write('3333333333333333.json', JSON.stringify(entry));
    write(
      '4444444444444444.json',
      JSON.stringify({ ...entry, id: '4444444444444444', socket: 'x'.repeat(70_000) }),
    );
    write('other.json', JSON.stringify(entry));
    write('target', JSON.stringify({ ...entry, id: '5555555555555555' }));
    symlinkSync('target', join(index(), '5555555555555555.json'));
    mkdirSync(join(index(), '6666666666666666.json'));
    assert.deepEqual(await readIndexEntries(index()), []);
  });
});

describe('isAlive', () => {
  it('knows the process, not only its number', async () => {
    assert.equal(await isAlive(await liveEntry()), true);
    assert.equal(await isAlive(await liveEntry({ supervisorStartTime: '1' })), false);
  });

  it('does not speak of other hosts and boots', async () => {
    assert.equal(await isAlive(await liveEntry({ hostName: 'elsewhere' })), false);
    assert.equal(await isAlive(await liveEntry({ bootId: 'earlier' })), false);
  });
});

describe('sweepDeadEntries', () => {
  const root = useTemporaryFolder();

  /** Enters a sandbox with a run directory of its own that holds a file. */
  async function enter(
    id: string,
    runName: string,
    more: Partial<SandboxIndexEntry>,
  ): Promise<SandboxIndexEntry> {
    const runDirectory = join(root(), runName);
    mkdirSync(runDirectory, { recursive: true });
    writeFileSync(join(runDirectory, 'file'), '');
    const entry = await liveEntry({ id, runDirectory, ...more });
    await writeIndexEntry(join(root(), 'index'), entry);
    return entry;
  }

  beforeEach(() => mkdirSync(join(root(), 'index')));

  it('clears away what dead supervisors and earlier boots left, and keeps the living', async () => {
    const child = spawn('/bin/sh', ['-c', 'exit 0']);
    await once(child, 'exit');
    const dead = await enter('1'.repeat(16), 'sandboxed-agent-dead', { supervisorPid: child.pid ?? 0 });
    const earlier = await enter('2'.repeat(16), 'sandboxed-agent-earlier', { bootId: 'earlier' });
    const alive = await enter('3'.repeat(16), 'sandboxed-agent-alive', {});
    const elsewhere = await enter('4'.repeat(16), 'sandboxed-agent-elsewhere', { hostName: 'elsewhere' });
    const swept = await sweepDeadEntries(join(root(), 'index'));
    assert.deepEqual(swept.map(({ id }) => id).sort(), [dead.id, earlier.id]);
    const left = await readIndexEntries(join(root(), 'index'));
    assert.deepEqual(left.map(({ id }) => id).sort(), [alive.id, elsewhere.id]);
    assert.deepEqual(
      [dead, earlier, alive, elsewhere].map(({ runDirectory }) => existsSync(runDirectory)),
      [false, false, true, true],
    );
  });

  it('removes no folder that is not a run directory, and follows no link', async () => {
    const precious = join(root(), 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), '');
    symlinkSync(precious, join(root(), 'sandboxed-agent-link'));
    await enter('1'.repeat(16), 'other', { bootId: 'earlier' });
    for (const [digit, runDirectory] of [
      ['2', join(root(), 'sandboxed-agent-link')],
      ['3', `${join(root(), 'sandboxed-agent-link')}/`],
      ['4', `${root()}/sandboxed-agent-x/../precious`],
      ['5', 'sandboxed-agent-relative'],
      ['6', `${root()}/sandboxed-agent-link/.`],
    ] as const) {
      const entry = await liveEntry({ id: digit.repeat(16), runDirectory, bootId: 'earlier' });
      await writeIndexEntry(join(root(), 'index'), entry);
    }
    assert.equal((await sweepDeadEntries(join(root(), 'index'))).length, 6);
    assert.equal(existsSync(join(precious, 'file')), true);
    assert.equal(existsSync(join(root(), 'other', 'file')), true);
  });
});
