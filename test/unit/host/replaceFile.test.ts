import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../src/host/replaceFile';
import { openFolder, UnsafeFileError } from '../../../src/host/safeFiles';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('replaceFile', () => {
  const root = useTemporaryFolder();
  const path = (): string => join(root(), 'file');

  async function replace(expected: string | undefined, content = 'new'): Promise<boolean> {
    const folder = await openFolder(root());
    try {
      const bytes = expected === undefined ? undefined : Buffer.from(expected);
      return await replaceFile(folder, { name: 'file', expected: bytes, content });
    } finally {
      await folder.close();
    }
  }

  it('replaces what was expected, with the same mode, and leaves nothing else', async () => {
    writeFileSync(path(), 'old');
    chmodSync(path(), 0o640);
    assert.equal(await replace('old'), true);
    assert.equal(readFileSync(path(), 'utf8'), 'new');
    assert.equal(statSync(path()).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(root()), ['file']);
  });

  it('makes a file', async () => {
    assert.equal(await replace(undefined), true);
    assert.equal(readFileSync(path(), 'utf8'), 'new');
    assert.deepEqual(readdirSync(root()), ['file']);
  });

  it('leaves a file that is another one by now, or gone, or came meanwhile', async () => {
    writeFileSync(path(), 'other');
    assert.equal(await replace('old'), false);
    assert.equal(await replace(undefined), false);
    assert.equal(await replace('othe'), false);
    assert.equal(readFileSync(path(), 'utf8'), 'other');
    assert.deepEqual(readdirSync(root()), ['file']);
  });

  it('refuses a link, and writes nothing at its end', async () => {
    writeFileSync(join(root(), 'target'), 'old');
    symlinkSync('target', path());
    await assert.rejects(replace('old'), UnsafeFileError);
    assert.equal(await replace(undefined), false);
    assert.equal(readFileSync(join(root(), 'target'), 'utf8'), 'old');
    assert.deepEqual(readdirSync(root()).sort(), ['file', 'target']);
    rmSync(join(root(), 'target'));
    assert.equal(await replace(undefined), false);
    assert.deepEqual(readdirSync(root()), ['file']);
  });
});
