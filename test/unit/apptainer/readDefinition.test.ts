import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDefinition } from '../../../src/apptainer/readDefinition';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('readDefinition', () => {
  const root = useTemporaryFolder();
  const refused = (path: string): Promise<void> =>
    assert.rejects(readDefinition(path), { name: 'UserError', code: 'definition.notAFile' });

  it('reads a file, also through a link', async () => {
    writeFileSync(join(root(), 'image.def'), 'Bootstrap: localimage\n');
    symlinkSync('image.def', join(root(), 'link.def'));
    assert.equal(await readDefinition(join(root(), 'link.def')), 'Bootstrap: localimage\n');
  });

  it('says what is no file or too large, and waits for nobody', async () => {
    execFileSync('mkfifo', [join(root(), 'fifo.def')]);
    writeFileSync(join(root(), 'large.def'), '');
    truncateSync(join(root(), 'large.def'), (1 << 20) + 1);
    await refused(join(root(), 'fifo.def'));
    await refused(join(root(), 'large.def'));
  });
});
