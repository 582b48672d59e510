import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProjectConfiguration } from '../../../src/opencode/projectConfiguration';
import { UserError } from '../../../src/sandbox/userError';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('readProjectConfiguration', () => {
  const workspace = useTemporaryFolder();

  async function refuses(code: string): Promise<void> {
    await assert.rejects(readProjectConfiguration(workspace()), (error) => {
      assert(error instanceof UserError, String(error));
      assert.equal(error.code, `projectConfiguration.${code}`);
      assert.equal(error.action?.kind, 'revealFile');
      assert(error.message.includes(join(workspace(), 'opencode.json')));
      return true;
    });
  }

  it('reads both files, and does without them', async () => {
    assert.deepEqual(await readProjectConfiguration(workspace()), []);
    writeFileSync(join(workspace(), 'opencode.jsonc'), 'two');
    assert.deepEqual(await readProjectConfiguration(workspace()), ['two']);
    writeFileSync(join(workspace(), 'opencode.json'), 'one');
    assert.deepEqual(await readProjectConfiguration(workspace()), ['one', 'two']);
  });

  it('refuses a link', async () => {
    symlinkSync('/etc/passwd', join(workspace(), 'opencode.json'));
    await refuses('notAFile');
  });

  it('refuses a FIFO without waiting for a writer', async () => {
    execFileSync('/usr/bin/mkfifo', [join(workspace(), 'opencode.jsonc')]);
    await refuses('notAFile');
  });

  it('refuses a folder', async () => {
    mkdirSync(join(workspace(), 'opencode.json'));
    await refuses('notAFile');
  });

  it('refuses ten megabytes', async () => {
    writeFileSync(join(workspace(), 'opencode.json'), Buffer.alloc(10 * 1024 * 1024, ' '));
    await refuses('tooLarge');
  });
});
