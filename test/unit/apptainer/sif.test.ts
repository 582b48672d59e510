import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSifFile, sifArchitecture } from '../../../src/apptainer/sif';
import { UnsafeFileError } from '../../../src/host/safeFiles';
import { sifHeader } from '../../support/sifHeader';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('isSifFile', () => {
  const folder = useTemporaryFolder();

  async function isSif(content: Buffer | string): Promise<boolean> {
    const path = join(folder(), 'file');
    writeFileSync(path, content);
    return isSifFile(path);
  }

  it('knows the header', async () => {
    assert.equal(await isSif(sifHeader), true);
  });

  it('takes nothing else for one', async () => {
    assert.equal(await isSif(''), false);
    assert.equal(await isSif(sifHeader.subarray(0, 41)), false);
    assert.equal(await isSif(sifHeader.subarray(1)), false);
    assert.equal(await isSif('hsqs'.padEnd(100, '\0')), false);
    assert.equal(await isSif(`${' '.repeat(32)}SIF_MAGICX`), false);
  });

  it('waits for nobody at a FIFO, which an agent can put in the place of an image', async () => {
    const path = join(folder(), 'fifo');
    execFileSync('mkfifo', [path]);
    for (const look of [isSifFile, sifArchitecture]) await assert.rejects(look(path), UnsafeFileError);
  });
});
