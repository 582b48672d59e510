import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registryDigest, sourceDigest } from '../../../src/apptainer/sourceDigest';
import { parseVersion } from '../../../src/apptainer/version';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('which image a tag is now', () => {
  const folder = useTemporaryFolder();

  it('is not asked of an Apptainer that can’t tell: it would pull the image', async () => {
    const mark = join(folder(), 'ran');
    const apptainer = join(folder(), 'apptainer');
    writeFileSync(apptainer, `#!/bin/sh\n: > '${mark}'\n`, { mode: 0o700 });
    const questionTo = (text: string) => ({
      apptainer,
      version: parseVersion(`apptainer version ${text}`) ?? assert.fail(),
      source: 'docker://127.0.0.1:9/opencode:1',
      environment: { HOME: folder() },
    });
    for (const text of ['1.2.0', '1.3.6-1.el9']) {
      await assert.rejects(registryDigest(questionTo(text)), { code: 'update.apptainerTooOld' });
      assert.equal(
        await sourceDigest({ ...questionTo(text), image: join(folder(), 'image.sif') }),
        undefined,
      );
    }
    assert.equal(existsSync(mark), false);
    await assert.rejects(registryDigest(questionTo('1.4.0')), { code: 'update.silent' });
    assert.equal(existsSync(mark), true);
  });
});
