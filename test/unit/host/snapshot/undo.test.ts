import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fromText } from '../../../../src/snapshot/bytePath';
import { noteEnd } from '../../../../src/host/snapshot/runNotes';
import { SnapshotWorld } from '../../../support/snapshots';
import { isRoot, useTemporaryFolder } from '../../../support/temporaryFolder';
import { waitUntil } from '../../../support/waitUntil';
import { treeLines } from '../../../support/treeLines';

describe('undo', () => {
  let world: SnapshotWorld;
  afterEach(() => {
    // what is closed can't be removed
    for (const name of ['src', 'src/deep', 'empty', 'locked']) {
      if (lstatSync(world.path(name), { throwIfNoEntry: false })?.isDirectory())
        chmodSync(world.path(name), 0o700);
    }
  });
  const folder = useTemporaryFolder();

  beforeEach(() => {
    world = new SnapshotWorld(folder());
    mkdirSync(world.path('src/deep'), { recursive: true });
    mkdirSync(world.path('empty'), { mode: 0o750 });
    writeFileSync(world.path('src/main.py'), 'print(1)\n');
    writeFileSync(world.path('src/deep/data.bin'), Buffer.from([0, 1, 2, 255]));
    writeFileSync(world.path('run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(Buffer.concat([Buffer.from(world.path('f')), Buffer.from([0xff, 0xfe])]), 'bytes');
    symlinkSync('src/main.py', world.path('link'));
    symlinkSync('/nowhere', world.path('dangling'));
  });

  const read = (name: string): string => readFileSync(world.path(name), 'utf8');

  /** Changes the folder, and asserts that it can be undone, that undoing can be, and that this can be, too. */
  function assertUndone(change: () => void): void {
    const before = treeLines(world.workspace);
    const { id } = world.take();
    change();
    const after = treeLines(world.workspace);
    assert.notDeepEqual(after, before);
    assert.deepEqual(world.revert(id).left, []);
    assert.deepEqual(treeLines(world.workspace), before, 'as before');
    assert.deepEqual(world.changes(id), []);
    assert.deepEqual(world.revert(world.lastRevert(), 'touched').left, []);
    assert.deepEqual(treeLines(world.workspace), after, 'undoing is undone');
    assert.deepEqual(world.revert(world.lastRevert(), 'touched').left, []);
    assert.deepEqual(treeLines(world.workspace), before, 'and undone again');
  }

  it('brings back contents, permissions, links, folders and names that are no text', () => {
    assertUndone(() => {
      writeFileSync(world.path('src/main.py'), 'print(2)\n');
      writeFileSync(world.path('src/new.py'), 'new\n');
      mkdirSync(world.path('made/by/agent'), { recursive: true });
      writeFileSync(world.path('made/by/agent/file'), 'x');
      rmSync(world.path('src/deep'), { recursive: true });
      rmSync(world.path('empty'), { recursive: true });
      chmodSync(world.path('run.sh'), 0o4711);
      rmSync(world.path('link'));
      symlinkSync('run.sh', world.path('link'));
      const odd = Buffer.from([0xff, 0xfe]);
      renameSync(
        Buffer.concat([Buffer.from(world.path('f')), odd]),
        Buffer.concat([Buffer.from(world.path('g')), odd]),
      );
    });
  });

  it('brings back what became something else: a folder a link, a file a folder, a link a file', () => {
    assertUndone(() => {
      rmSync(world.path('src'), { recursive: true });
      symlinkSync('/etc', world.path('src'));
      rmSync(world.path('run.sh'));
      mkdirSync(world.path('run.sh/inside'), { recursive: true });
      writeFileSync(world.path('run.sh/inside/file'), 'x');
      rmSync(world.path('dangling'));
      writeFileSync(world.path('dangling'), 'a file now');
    });
  });

  it('brings back a whole folder that was moved', () => {
    assertUndone(() => {
      mkdirSync(world.path('lib'));
      renameSync(world.path('src'), world.path('lib/src'));
    });
  });

  it('brings back what lies in folders without permissions, and the permissions', () => {
    mkdirSync(world.path('locked'));
    writeFileSync(world.path('locked/file'), 'locked\n');
    chmodSync(world.path('locked'), 0o555);
    assertUndone(() => {
      chmodSync(world.path('locked'), 0o755);
      rmSync(world.path('locked/file'));
      writeFileSync(world.path('locked/other'), 'x');
      chmodSync(world.path('locked'), 0o511);
    });
  });

  for (const mode of [0o311, 0o444, 0]) {
    it(`brings back what was changed in a folder that was then closed (mode ${mode.toString(8)})`, () => {
      assertUndone(() => {
        writeFileSync(world.path('src/main.py'), 'print(2)\n');
        writeFileSync(world.path('src/deep/new.py'), 'new\n');
        rmSync(world.path('src/deep/data.bin'));
        chmodSync(world.path('src/deep'), mode);
        chmodSync(world.path('src'), mode);
        mkdirSync(world.path('locked'));
        writeFileSync(world.path('locked/file'), 'new\n');
        chmodSync(world.path('locked'), mode);
      });
    });

    it(`tells what was changed in a folder that was closed before, and leaves its mode (${mode.toString(8)})`, () => {
      chmodSync(world.path('src'), mode);
      const before = treeLines(world.workspace);
      const { id } = world.take();
      assert.deepEqual(treeLines(world.workspace), before);
      chmodSync(world.path('src'), 0o700);
      writeFileSync(world.path('src/main.py'), 'print(2)\n');
      chmodSync(world.path('src'), mode);
      assert.deepEqual(world.changeWords(id), ['changed src/main.py']);
      world.revert(id);
      assert.deepEqual(treeLines(world.workspace), before);
    });
  }

  it('brings back a single file, and leaves the others', () => {
    const { id } = world.take();
    writeFileSync(world.path('src/main.py'), 'print(2)\n');
    writeFileSync(world.path('run.sh'), 'changed\n');
    world.revert(id, [fromText('src/main.py')]);
    assert.equal(readFileSync(world.path('src/main.py'), 'utf8'), 'print(1)\n');
    assert.equal(readFileSync(world.path('run.sh'), 'utf8'), 'changed\n');
  });

  it('leaves what it could not bring back, unless it is told to', () => {
    const { id } = world.take({ maximumFileBytes: 100 });
    writeFileSync(world.path('large'), Buffer.alloc(200));
    assert.deepEqual(world.revert(id).left, [{ path: 'large', reason: 'notSaved' }]);
    assert.equal(lstatSync(world.path('large')).size, 200);
    assert.deepEqual(world.revert(id, [fromText('large')], true).left, []);
    assert.equal(lstatSync(world.path('large'), { throwIfNoEntry: false }), undefined);
  });

  it('brings back everything after having been told to, when that is undone', () => {
    writeFileSync(world.path('data'), 'before');
    const { id } = world.take({ maximumFileBytes: 20 });
    writeFileSync(world.path('data'), 'x'.repeat(100));
    writeFileSync(world.path('run.sh'), 'after');
    const both = 'e'.repeat(16);
    assert.deepEqual(world.revert(id, undefined, false, both).left, [{ path: 'data', reason: 'notSaved' }]);
    assert.deepEqual(world.revert(id, [fromText('data')], true, both).left, []);
    assert.deepEqual([read('data'), read('run.sh')], ['before', '#!/bin/sh\n']);
    assert.equal(world.lastRevert(), both);
    assert.deepEqual(world.revert(both, 'touched').left, [{ path: 'data', reason: 'notKept' }]);
    assert.deepEqual([read('data'), read('run.sh')], ['before', 'after']);
  });

  it('says what it can’t bring back because it was not kept', () => {
    writeFileSync(world.path('large'), Buffer.alloc(200));
    const { id, notKept } = world.take({ maximumFileBytes: 100 });
    assert.equal(notKept.large, 1);
    rmSync(world.path('large'));
    assert.deepEqual(world.changeWords(id), ['gone large']);
    assert.deepEqual(world.revert(id).left, [{ path: 'large', reason: 'notKept' }]);
  });

  it('leaves files that are ignored, and is not fooled by rules that the agent makes', () => {
    writeFileSync(world.path('.gitignore'), '*.pyc\n');
    writeFileSync(world.path('src/old.pyc'), 'old');
    const { id } = world.take();
    writeFileSync(world.path('src/old.pyc'), 'new');
    writeFileSync(world.path('.gitignore'), '*\n');
    writeFileSync(world.path('src/hidden.py'), 'hidden');
    assert.deepEqual(world.changeWords(id), ['changed .gitignore', 'new src/hidden.py']);
    world.revert(id);
    assert.equal(readFileSync(world.path('src/old.pyc'), 'utf8'), 'new');
    assert.equal(readFileSync(world.path('.gitignore'), 'utf8'), '*.pyc\n');
  });

  it('is not fooled by rules that the agent has made in an earlier run, and takes those of the user', async () => {
    writeFileSync(world.path('.gitignore'), '*.pyc\n');
    writeFileSync(world.path('old.pyc'), 'old');
    const first = world.take();
    writeFileSync(world.path('.gitignore'), '*\n');
    writeFileSync(world.path('src/.gitignore'), 'main.py\n');
    noteEnd(world.store, first.id, Date.now());
    const second = world.take();
    writeFileSync(world.path('src/main.py'), 'print(2)\n');
    writeFileSync(world.path('src/new.py'), 'new\n');
    writeFileSync(world.path('old.pyc'), 'ignored as before');
    assert.deepEqual(world.changeWords(second.id), ['changed src/main.py', 'new src/new.py']);
    noteEnd(world.store, second.id, Date.now());
    const ended = Date.now();
    await waitUntil('the user comes later', () => {
      writeFileSync(world.path('.gitignore'), '*.bin\n');
      return lstatSync(world.path('.gitignore')).ctimeMs > ended + 1;
    });
    const third = world.take();
    writeFileSync(world.path('src/deep/data.bin'), 'ignored');
    writeFileSync(world.path('old.pyc'), 'not ignored any more');
    assert.deepEqual(world.changeWords(third.id), ['changed old.pyc']);
  });

  it('takes what was changed since a run for the agent’s when it is not known when that ended', () => {
    const first = world.take();
    writeFileSync(world.path('.gitignore'), 'src\n');
    const second = world.take();
    writeFileSync(world.path('src/main.py'), 'print(2)\n');
    assert.deepEqual([world.changeWords(second.id), first.id !== second.id], [['changed src/main.py'], true]);
  });

  it('leaves git’s folder and the agent’s home alone, but undoes a repository that the agent has made', () => {
    for (const name of ['.git', 'agent-home']) {
      mkdirSync(world.path(name));
      writeFileSync(world.path(name, 'file'), 'x');
    }
    const { id } = world.take();
    for (const name of ['.git', 'agent-home', 'sub/.git']) {
      mkdirSync(world.path(name), { recursive: true });
      writeFileSync(world.path(name, 'file'), 'changed');
    }
    assert.deepEqual(world.changeWords(id), ['new sub/.git/file']);
    world.revert(id);
    assert.equal(lstatSync(world.path('sub'), { throwIfNoEntry: false }), undefined);
    assert.equal(readFileSync(world.path('.git/file'), 'utf8'), 'changed');
  });

  it('finds a change that keeps size and time of a file', () => {
    const { id } = world.take();
    const { atime, mtime, size } = lstatSync(world.path('src/main.py'));
    writeFileSync(world.path('src/main.py'), 'print(2)\n');
    utimesSync(world.path('src/main.py'), atime, mtime);
    assert.equal(lstatSync(world.path('src/main.py')).size, size);
    assert.deepEqual(world.changeWords(id), ['changed src/main.py']);
  });

  if (!isRoot) {
    it('says what may not be read', () => {
      chmodSync(world.path('run.sh'), 0);
      assert.equal(world.take().notKept.unreadable, 1);
      const { id } = world.take();
      chmodSync(world.path('src'), 0);
      assert.deepEqual(world.changeWords(id), ['mode src']);
      world.revert(id);
      assert.equal(readFileSync(join(world.path('src'), 'main.py'), 'utf8'), 'print(1)\n');
    });
  }
});
