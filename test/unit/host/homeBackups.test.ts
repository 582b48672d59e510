import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOfBackup, pruneBackups, readBackups } from '../../../src/host/homeBackups';
import { backupsOf } from '../../../src/host/homeFolder';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('the backups of a home', () => {
  const folder = useTemporaryFolder();
  beforeEach(() => mkdirSync(backupsOf(folder())));

  function make(time: number, version: string, bytes = 10): string {
    const name = nameOfBackup(time, version);
    writeFileSync(join(backupsOf(folder()), name), '');
    truncateSync(join(backupsOf(folder()), name), bytes);
    return name;
  }

  it('are listed with the latest first; what is none is left out', async () => {
    make(1000, '1.2.27');
    make(2000, '');
    writeFileSync(join(backupsOf(folder()), `${nameOfBackup(3000, '1')}.part`), '');
    symlinkSync('/etc/passwd', join(backupsOf(folder()), nameOfBackup(4000, '1')));
    assert.deepEqual(
      (await readBackups(folder())).map(({ time, version, bytes }) => [time, version, bytes]),
      [
        [2000, '', 10],
        [1000, '1.2.27', 10],
      ],
    );
  });

  it('are three at most, and two gigabytes but for the last one', async () => {
    const names = [1, 2, 3, 4].map((time) => make(time, '1'));
    writeFileSync(join(backupsOf(folder()), `${nameOfBackup(3000, '1')}.part`), '');
    await pruneBackups(folder());
    assert.deepEqual(readdirSync(backupsOf(folder())).sort(), names.slice(1));
    const large = make(5, '1', 2 ** 32);
    await pruneBackups(folder());
    assert.deepEqual(readdirSync(backupsOf(folder())), [large]);
  });
});
