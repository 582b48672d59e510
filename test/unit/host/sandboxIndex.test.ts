import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, readBootId } from '../../../src/host/processIdentity';
import {
  isAlive,
  readIndexEntries,
  removeIndexEntry,
  removeUnfinishedEntries,
  writeIndexEntry,
} from '../../../src/host/sandboxIndex';
import { liveEntry } from '../../support/indexEntries';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('the index of sandboxes', () => {
  const index = useTemporaryFolder();

  it('keeps entries, for us alone, and nothing else', async () => {
    const entry = await liveEntry();
    await writeIndexEntry(index(), entry);
    await writeIndexEntry(index(), { ...entry, kind: 'shell' });
    assert.deepEqual(await readIndexEntries(index()), [{ ...entry, kind: 'shell' }]);
    assert.deepEqual(readdirSync(index()), [`${entry.id}.json`]);
    assert.equal(statSync(join(index(), `${entry.id}.json`)).mode & 0o777, 0o600);
    assert.equal(await removeIndexEntry(index(), entry.id), true);
    assert.equal(await removeIndexEntry(index(), entry.id), false);
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

describe('removeUnfinishedEntries', () => {
  const index = useTemporaryFolder();

  it('removes what killed writers of this boot left, and what others left days ago', async () => {
    const boot = await readBootId();
    const mine = identifyProcess(process.pid);
    const gone = spawnSync('/bin/true').pid;
    const name = (digit: string, of: string, pid: number | undefined, start = '1'): string =>
      `${digit.repeat(16)}.json.${of}.${pid}.${start}`;
    const kept = [
      name('1', boot, process.pid, mine?.startTime),
      name('2', 'elsewhere'.replace(/[^0-9a-f]/g, 'e'), gone),
      `${'3'.repeat(16)}.json`,
      'something',
    ];
    const removed = [name('4', boot, gone), name('5', boot, process.pid), name('6', 'abc', gone)];
    for (const file of [...kept, ...removed]) {
      writeFileSync(join(index(), file), '');
    }
    const longAgo = Date.now() / 1000 - 2 * 86_400;
    utimesSync(join(index(), removed[2] ?? ''), longAgo, longAgo);
    await removeUnfinishedEntries(index());
    assert.deepEqual(readdirSync(index()).sort(), kept.sort());
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
