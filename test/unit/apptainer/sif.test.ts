import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSifFile } from '../../../src/apptainer/sif';
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
});
