import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRunDirectoryParents } from '../../../src/host/runDirectoryParents';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('findRunDirectoryParents', () => {
  const folder = useTemporaryFolder();

  it('takes the runtime folder first when it is closed to others', async () => {
    const runtime = join(folder(), 'runtime');
    mkdirSync(runtime, { mode: 0o700 });
    assert.deepEqual(await findRunDirectoryParents({ XDG_RUNTIME_DIR: runtime }), [runtime, '/tmp']);
  });

  it('takes /tmp alone when the runtime folder is not what it should be', async () => {
    const open = join(folder(), 'open');
    mkdirSync(open);
    chmodSync(open, 0o755);
    mkdirSync(join(folder(), 'closed'), { mode: 0o700 });
    symlinkSync('closed', join(folder(), 'link'));
    writeFileSync(join(folder(), 'file'), '', { mode: 0o600 });
    const values = [
      undefined,
      '',
      'relative',
      open,
      `${folder()}/link`,
      `${folder()}/file`,
      `${folder()}/missing`,
    ];
    for (const value of values) {
      assert.deepEqual(await findRunDirectoryParents({ XDG_RUNTIME_DIR: value }), ['/tmp'], String(value));
    }
  });
});
