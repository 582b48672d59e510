import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  keptRuns,
  pruneRunRecords,
  readRunRecords,
  type RunRecord,
  writeRunRecord,
} from '../../../src/host/runRecords';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const record: RunRecord = {
  id: '0123456789abcdef',
  kind: 'agent',
  workspace: '/data/project',
  image: { path: '/data/a.sif', identity: { device: '1', inode: '2', size: '3', changedTime: '4' } },
  network: 'none',
  extensionVersion: '1.2.3',
  hostName: 'here',
  supervisor: { pid: 1, startTime: '2' },
  argv: ['/usr/bin/apptainer', 'exec'],
  environmentNames: ['PATH'],
  startedAt: 1_700_000_000_000,
  verdicts: [
    { time: 1_700_000_000_500, state: 'degraded', facts: [{ fact: 'hostPaths', status: 'degraded' }] },
  ],
};

describe('the records of runs', () => {
  const folder = useTemporaryFolder();

  it('are kept for us alone, one file each, the latest first', async () => {
    const later = { ...record, id: 'f'.repeat(16), startedAt: record.startedAt + 1 };
    const ended = { ...record, end: { time: record.startedAt + 9, reason: 'exited', exitCode: 0 } };
    await writeRunRecord(folder(), record);
    await writeRunRecord(folder(), later);
    await writeRunRecord(folder(), ended);
    assert.deepEqual(await readRunRecords(folder()), [later, ended]);
    assert.deepEqual(
      readdirSync(folder()).map((name) => statSync(join(folder(), name)).mode & 0o777),
      [0o600, 0o600],
    );
  });

  it('are none where there is no folder', async () => {
    assert.deepEqual(await readRunRecords(join(folder(), 'missing')), []);
  });

  it('leave out what is no record', async () => {
    const name = (digit: string): string => join(folder(), `1700000000000-${digit.repeat(16)}.json`);
    writeFileSync(name('1'), 'not JSON');
    writeFileSync(name('2'), '{}');
    writeFileSync(name('3'), JSON.stringify({ ...record, argv: ['x'.repeat(2 ** 20)] }));
    symlinkSync('/etc/passwd', name('4'));
    writeFileSync(join(folder(), 'other.json'), JSON.stringify(record));
    assert.deepEqual(await readRunRecords(folder()), []);
  });

  it('are the last ones, and what a killed writer left goes after a day', async () => {
    for (let index = 0; index < keptRuns + 3; index += 1) {
      const id = index.toString(16).padStart(16, '0');
      await writeRunRecord(folder(), { ...record, id, startedAt: record.startedAt + index });
    }
    const unfinished = (time: number): string =>
      join(folder(), `${String(time)}-${'e'.repeat(16)}.json.${'0'.repeat(16)}`);
    const now = Date.now();
    writeFileSync(unfinished(now), '');
    writeFileSync(unfinished(now - 2 * 86_400_000), '');
    await pruneRunRecords(folder());
    const kept = await readRunRecords(folder());
    assert.equal(kept.length, keptRuns);
    assert.equal(kept.at(-1)?.startedAt, record.startedAt + 3);
    assert.deepEqual(
      [now, now - 2 * 86_400_000].map((time) => existsSync(unfinished(time))),
      [true, false],
    );
  });
});
