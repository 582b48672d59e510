import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../../src/host/removeTree';
import { UnsafeFileError } from '../../../src/host/safeFiles';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('removeTree', () => {
  const folder = useTemporaryFolder();

  it('removes all kinds of things, and folders without permissions', async () => {
    const tree = join(folder(), 'tree');
    mkdirSync(join(tree, 'a', 'b'), { recursive: true });
    writeFileSync(join(tree, 'a', 'b', 'file'), '');
    execFileSync('/usr/bin/mkfifo', [join(tree, 'a', 'fifo')]);
    chmodSync(join(tree, 'a', 'b'), 0o000);
    chmodSync(join(tree, 'a'), 0o500);
    await removeTree(tree);
    assert.equal(existsSync(tree), false);
  });

  it('removes folders within more folders than files may be open', () => {
    const tree = join(folder(), 'tree');
    const steps = 'mkdir d && chmod 500 . && cd d || exit 1; ';
    execFileSync('/bin/sh', ['-c', `mkdir "$1" && cd "$1" && ${steps.repeat(300)} touch file`, 'sh', tree]);
    const script = `require(${JSON.stringify(require.resolve('../../../src/host/removeTree'))}).removeTree(${JSON.stringify(tree)})`;
    execFileSync('/bin/sh', ['-c', 'ulimit -n 150; exec "$@"', 'sh', process.execPath, '-e', script]);
    assert.equal(existsSync(tree), false);
  });

  it('removes links, not what they lead to', async () => {
    const outside = join(folder(), 'outside');
    const tree = join(folder(), 'tree');
    mkdirSync(outside);
    mkdirSync(tree);
    writeFileSync(join(outside, 'file'), 'kept');
    symlinkSync(outside, join(tree, 'folder'));
    symlinkSync(join(outside, 'file'), join(tree, 'file'));
    await removeTree(tree);
    assert.equal(existsSync(tree), false);
    assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'kept');
  });

  it('does not begin at a link or a file', async () => {
    const outside = join(folder(), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), '');
    symlinkSync(outside, join(folder(), 'link'));
    await assert.rejects(removeTree(join(folder(), 'link')), UnsafeFileError);
    await assert.rejects(removeTree(join(outside, 'file')), UnsafeFileError);
    assert.equal(existsSync(join(outside, 'file')), true);
  });

  it('does not mind when there is nothing', async () => {
    await removeTree(join(folder(), 'missing'));
  });
});
