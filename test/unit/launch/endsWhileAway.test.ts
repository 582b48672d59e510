import assert from 'node:assert/strict';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeRunRecord, type RunRecord } from '../../../src/host/runRecords';
import { endsWhileAway } from '../../../src/launch/endsWhileAway';
import { identity } from '../../support/exampleSpecification';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('endsWhileAway', () => {
  const root = useTemporaryFolder();

  async function write(number: number, workspace: string, reason: string, time: number): Promise<void> {
    const record: RunRecord = {
      id: String(number).padStart(16, '0'),
      kind: 'agent',
      workspace,
      image: { path: '/image.sif', identity },
      network: 'none',
      extensionVersion: '1.0.0',
      hostName: 'host',
      supervisor: { pid: 1, startTime: '1' },
      argv: [],
      environmentNames: [],
      startedAt: number,
      verdicts: [],
      end: { time, reason },
    };
    await writeRunRecord(root(), record);
  }

  it('tells of those that ended alone, in these folders, since then', async () => {
    const now = Date.now();
    await write(1, '/data/w', 'detachedTooLong', now);
    await write(2, '/data/w', 'stopped', now);
    await write(3, '/data/other', 'detachedTooLong', now);
    await write(4, '/data/w', 'detachedTooLong', now - 10_000);
    assert.deepEqual(await endsWhileAway(root(), new Set(['/data/w']), now - 5000), [
      { workspace: '/data/w', time: now },
    ]);
  });

  it('does not read what was written before', async () => {
    await write(1, '/data/w', 'detachedTooLong', Date.now());
    const [name = ''] = readdirSync(root());
    utimesSync(join(root(), name), 1, 1);
    assert.deepEqual(await endsWhileAway(root(), new Set(['/data/w']), Date.now() - 5000), []);
  });
});
