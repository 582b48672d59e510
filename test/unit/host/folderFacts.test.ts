import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from '../../../src/host/fileIdentity';
import { followPath, readFolderFacts, readPlace } from '../../../src/host/folderFacts';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('followPath', () => {
  const folder = useTemporaryFolder();

  it('tells every entry on the way, links and their targets', async () => {
    const root = folder();
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    writeFileSync(join(root, 'a', 'b', 'file'), '');
    symlinkSync('b/file', join(root, 'a', 'inner'));
    symlinkSync(join(root, 'a', 'inner'), join(root, 'outer'));
    const { entries, end } = await followPath(join(root, 'outer'));
    assert.equal(end, realpathSync(join(root, 'outer')));
    const below = entries
      .filter((entry) => entry.startsWith(`${root}/`))
      .map((entry) => entry.slice(root.length));
    assert.deepEqual(below, ['/outer', '/a', '/a/inner', '/a/b', '/a/b/file']);
  });

  it('understands dots as the kernel does: behind a link, the parent of its target', async () => {
    const root = folder();
    mkdirSync(join(root, 'deep', 'er'), { recursive: true });
    symlinkSync('deep/er', join(root, 'link'));
    assert.equal((await followPath(`${root}/./link/../x`)).end, join(root, 'deep', 'x'));
  });

  it('comes to an end in a circle', async () => {
    symlinkSync('two', join(folder(), 'one'));
    symlinkSync('one', join(folder(), 'two'));
    assert.match((await followPath(join(folder(), 'one'))).end, /\/(one|two)$/);
  });

  it('takes what does not exist by its name', async () => {
    symlinkSync('nowhere', join(folder(), 'dangling'));
    assert.equal((await followPath(join(folder(), 'dangling', 'x'))).end, join(folder(), 'nowhere', 'x'));
  });
});

describe('readPlace', () => {
  const folder = useTemporaryFolder();

  it('names a folder and all above it as the kernel does', async () => {
    const { path, ancestry } = await readPlace(join(folder(), 'missing', 'below'));
    const { device, inode } = await identify(folder());
    assert.equal(path, join(folder(), 'missing', 'below'));
    assert.deepEqual(ancestry.slice(0, 3), ['', '', `${device}:${inode}`]);
    assert.equal(ancestry.length, path.split('/').length);
  });
});

describe('readFolderFacts', () => {
  const folder = useTemporaryFolder();

  it('sees a folder of ours', async () => {
    const { place, ...facts } = await readFolderFacts(folder());
    assert.equal(place.path, folder());
    assert.deepEqual(facts, { kind: 'folder', ours: true, readable: true, writable: true });
  });

  it('sees what is no folder', async () => {
    writeFileSync(join(folder(), 'file'), '');
    symlinkSync('/', join(folder(), 'link'));
    execFileSync('/usr/bin/mkfifo', [join(folder(), 'fifo')]);
    const kinds = ['file', 'link', 'fifo', 'missing', 'file/below', 'a\0b'].map(
      (name) => `${folder()}/${name}`,
    );
    assert.deepEqual(await Promise.all(kinds.map(async (path) => (await readFolderFacts(path)).kind)), [
      'other',
      'link',
      'other',
      'missing',
      'missing',
      'missing',
    ]);
  });

  it('does not follow a link at the end, but those before it', async () => {
    mkdirSync(join(folder(), 'real', 'home'), { recursive: true });
    symlinkSync('real', join(folder(), 'alias'));
    const facts = await readFolderFacts(join(folder(), 'alias', 'home'));
    assert.deepEqual([facts.kind, facts.place.path], ['folder', join(folder(), 'real', 'home')]);
  });
});
