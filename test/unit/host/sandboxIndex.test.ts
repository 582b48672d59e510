import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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
  /** of a supervisor that is no more */
  const dead = { supervisorStartTime: '1' };

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
    const killed = await enter('1'.repeat(16), 'sandboxed-agent-dead', { supervisorPid: child.pid ?? 0 });
    const earlier = await enter('2'.repeat(16), 'sandboxed-agent-earlier', { bootId: 'earlier' });
    const alive = await enter('3'.repeat(16), 'sandboxed-agent-alive', {});
    const elsewhere = await enter('4'.repeat(16), 'sandboxed-agent-elsewhere', { hostName: 'elsewhere' });
    const swept = await sweepDeadEntries(join(root(), 'index'));
    assert.deepEqual(swept.map(({ id }) => id).sort(), [killed.id, earlier.id]);
    const left = await readIndexEntries(join(root(), 'index'));
    assert.deepEqual(left.map(({ id }) => id).sort(), [alive.id, elsewhere.id]);
    assert.deepEqual(
      [killed, earlier, alive, elsewhere].map(({ runDirectory }) => existsSync(runDirectory)),
      [false, false, true, true],
    );
  });

  it('leaves an entry of another boot whose run directory is not here: it may be of another machine', async () => {
    const index = join(root(), 'index');
    const recent = await liveEntry({ id: '1'.repeat(16), bootId: 'other' });
    const old = await liveEntry({ id: '2'.repeat(16), bootId: 'other' });
    await writeIndexEntry(index, recent);
    await writeIndexEntry(index, old);
    const longAgo = Date.now() / 1000 - 31 * 24 * 60 * 60;
    utimesSync(join(index, `${old.id}.json`), longAgo, longAgo);
    const swept = await sweepDeadEntries(index);
    assert.deepEqual(
      swept.map(({ id }) => id),
      [old.id],
    );
  });

  it('removes parts of entries that nobody finishes', async () => {
    const index = join(root(), 'index');
    const name = `${'1'.repeat(16)}.json.${'a'.repeat(16)}`;
    const other = `${'2'.repeat(16)}.json.${'b'.repeat(16)}`;
    for (const file of [name, other, 'unknown']) writeFileSync(join(index, file), '{');
    const longAgo = Date.now() / 1000 - 2 * 60 * 60;
    for (const file of [name, 'unknown']) utimesSync(join(index, file), longAgo, longAgo);
    await sweepDeadEntries(index);
    assert.deepEqual(readdirSync(index).sort(), [other, 'unknown']);
  });

  it('removes no folder that is not a run directory, and follows no link', async () => {
    const precious = join(root(), 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), '');
    symlinkSync(precious, join(root(), 'sandboxed-agent-link'));
    await enter('1'.repeat(16), 'other', dead);
    for (const [digit, runDirectory] of [
      ['2', join(root(), 'sandboxed-agent-link')],
      ['3', `${join(root(), 'sandboxed-agent-link')}/`],
      ['4', `${root()}/sandboxed-agent-x/../precious`],
      ['5', 'sandboxed-agent-relative'],
      ['6', `${root()}/sandboxed-agent-link/.`],
    ] as const) {
      const entry = await liveEntry({ id: digit.repeat(16), runDirectory, ...dead });
      await writeIndexEntry(join(root(), 'index'), entry);
    }
    assert.equal((await sweepDeadEntries(join(root(), 'index'))).length, 6);
    assert.equal(existsSync(join(precious, 'file')), true);
    assert.equal(existsSync(join(root(), 'other', 'file')), true);
  });
});
