import assert from 'node:assert/strict';
import { readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readCrashNote, writeCrashNote } from '../../../src/host/crashNotes';
import { pruneRunRecords } from '../../../src/host/runRecords';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('what the process of a sandbox notes when it can’t go on', () => {
  const folder = useTemporaryFolder();
  const id = '0123456789abcdef';

  it('is read by that id alone, and nobody else can', async () => {
    writeCrashNote(folder(), id, new Error('no more room'));
    assert.match((await readCrashNote(folder(), id)) ?? '', /^Error: no more room\n +at /);
    assert.equal(await readCrashNote(folder(), 'fedcba9876543210'), undefined);
    const [name = ''] = readdirSync(folder());
    assert.equal(statSync(join(folder(), name)).mode & 0o777, 0o600);
  });

  it('is cut off, and goes a day later', async () => {
    writeCrashNote(folder(), id, new Error('x'.repeat(100_000)));
    const [name = ''] = readdirSync(folder());
    assert.equal(statSync(join(folder(), name)).size, 16_384);
    await pruneRunRecords(folder());
    assert.deepEqual(readdirSync(folder()), [name]);
    renameSync(
      join(folder(), name),
      join(folder(), `0${Date.now() - 25 * 3_600_000}`.slice(-13) + name.slice(13)),
    );
    await pruneRunRecords(folder());
    assert.deepEqual(readdirSync(folder()), []);
  });

  it('fails nothing when it can’t be kept', async () => {
    writeCrashNote(join(folder(), 'missing'), id, new Error('nothing'));
    writeCrashNote(undefined, id, new Error('nothing'));
    assert.equal(await readCrashNote(join(folder(), 'missing'), id), undefined);
  });
});
