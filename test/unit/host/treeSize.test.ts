import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureTree } from '../../../src/host/treeSize';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('measureTree', () => {
  const folder = useTemporaryFolder();
  const limits = { bytes: 1e9, entries: 1000, depth: 20 };
  const mebibyte = 1024 * 1024;

  /** What the folder itself and others in it take is small. */
  const roughly = (bytes: number, expected: number): void => {
    assert.ok(bytes >= expected && bytes < expected + mebibyte / 4, String(bytes));
  };

  it('counts what takes room, a file with several names once', async () => {
    const tree = join(folder(), 'tree');
    mkdirSync(join(tree, 'a', 'b'), { recursive: true });
    writeFileSync(join(tree, 'a', 'b', 'file'), Buffer.alloc(2 * mebibyte, 1));
    for (const name of ['one', 'two', 'three']) linkSync(join(tree, 'a', 'b', 'file'), join(tree, name));
    const { bytes, isCut } = await measureTree(tree, limits);
    roughly(bytes, 2 * mebibyte);
    assert.equal(isCut, false);
  });

  it('counts a file that claims to be huge by what it takes', async () => {
    const tree = join(folder(), 'tree');
    mkdirSync(tree);
    execFileSync('/usr/bin/truncate', ['-s', '100G', join(tree, 'sparse')]);
    roughly((await measureTree(tree, limits)).bytes, 0);
  });

  it('follows no link', async () => {
    const tree = join(folder(), 'tree');
    mkdirSync(join(folder(), 'outside'));
    mkdirSync(tree);
    writeFileSync(join(folder(), 'outside', 'file'), Buffer.alloc(2 * mebibyte, 1));
    symlinkSync(join(folder(), 'outside'), join(tree, 'folder'));
    symlinkSync(join(folder(), 'outside', 'file'), join(tree, 'file'));
    symlinkSync('.', join(tree, 'loop'));
    roughly((await measureTree(tree, limits)).bytes, 0);
    symlinkSync('outside', join(folder(), 'top'));
    assert.deepEqual(await measureTree(join(folder(), 'top'), limits), { bytes: 0, isCut: false });
  });

  it('stops at too many files, and at folders too deep within folders', async () => {
    const tree = join(folder(), 'tree');
    mkdirSync(tree);
    for (let number = 0; number < 30; number += 1) writeFileSync(join(tree, String(number)), '');
    assert.equal((await measureTree(tree, { ...limits, entries: 29 })).isCut, true);
    assert.equal((await measureTree(tree, { ...limits, entries: 30 })).isCut, false);
    mkdirSync(join(tree, ...'abcdef'), { recursive: true });
    assert.equal((await measureTree(tree, { ...limits, depth: 5 })).isCut, true);
    assert.equal((await measureTree(tree, { ...limits, depth: 6 })).isCut, false);
  });

  it('finds nothing where nothing is', async () => {
    assert.deepEqual(await measureTree(join(folder(), 'missing'), limits), { bytes: 0, isCut: false });
  });
});
