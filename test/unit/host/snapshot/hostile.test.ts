import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { openWorkspace } from '../../../../src/host/snapshot/contents';
import { readContent, readPacks, sha256Of } from '../../../../src/host/snapshot/packs';
import { carryOut } from '../../../../src/host/snapshot/revert';
import { findManifest } from '../../../../src/host/snapshot/store';
import { lookAgain } from '../../../../src/host/snapshot/take';
import { walk, type Walked } from '../../../../src/host/snapshot/walk';

import { removeTree } from '../../../../src/host/removeTree';
import { fromText } from '../../../../src/snapshot/bytePath';
import { planRevert } from '../../../../src/snapshot/revertPlan';
import { makeDeep } from '../../../support/deepFolders';
import { SnapshotWorld } from '../../../support/snapshots';
import { useTemporaryFolder } from '../../../support/temporaryFolder';
import { treeLines } from '../../../support/treeLines';

const secret = 'the key of the user\n';

describe('snapshots of hostile folders', () => {
  let world: SnapshotWorld;
  // paths longer than the kernel takes in one go
  afterEach(() => removeTree(world.workspace));
  const folder = useTemporaryFolder();

  beforeEach(() => {
    world = new SnapshotWorld(folder());
    mkdirSync(join(folder(), 'home'));
    writeFileSync(join(folder(), 'home/key'), secret);
  });

  function fill(): void {
    writeFileSync(world.path('file0'), '0');
    mkdirSync(world.path('zone'));
    writeFileSync(world.path('zone/key'), 'harmless\n');
  }

  /** Takes a snapshot while something changes the folder between looking at it and reading it. */
  function takeWhile(change: () => void): string {
    let calls = 0;
    // of so few files it is told once: before the first is read
    const { id } = world.take({}, () => {
      calls += 1;
      change();
    });
    assert.equal(calls, 1);
    return id;
  }

  function hasSecret(): boolean {
    return readPacks(world.store).has(sha256Of(Buffer.from(secret)));
  }

  it('reads nothing through a folder that becomes a link while it is being read', () => {
    fill();
    takeWhile(() => {
      rmSync(world.path('zone'), { recursive: true });
      symlinkSync(join(folder(), 'home'), world.path('zone'));
      // what reading by path would have got
      assert.equal(readFileSync(world.path('zone/key'), 'utf8'), secret);
    });
    assert.equal(hasSecret(), false);
  });

  it('reads nothing through a file that becomes a link, nor waits for one that becomes a FIFO', () => {
    fill();
    mkdirSync(world.path('zone/more'));
    writeFileSync(world.path('zone/more/pipe'), 'harmless\n');
    const id = takeWhile(() => {
      rmSync(world.path('zone/key'));
      symlinkSync(join(folder(), 'home/key'), world.path('zone/key'));
      rmSync(world.path('zone/more/pipe'));
      assert.equal(spawnSync('mkfifo', [world.path('zone/more/pipe')]).status, 0);
    });
    assert.equal(hasSecret(), false);
    assert.equal(findManifest(world.store, id)?.entries.has(fromText('file0')), true);
  });

  it('names FIFOs and links without opening them, and what a link leads to is not read', () => {
    assert.equal(spawnSync('mkfifo', [world.path('pipe')]).status, 0);
    symlinkSync(join(folder(), 'home'), world.path('home'));
    const { id } = world.take();
    const entries = findManifest(world.store, id)?.entries;
    assert.deepEqual([...(entries?.keys() ?? [])].sort(), ['home', 'pipe']);
    assert.equal(hasSecret(), false);
  });

  it('takes no time for a sparse file of 10 GB, and names it', () => {
    writeFileSync(world.path('sparse'), '');
    truncateSync(world.path('sparse'), 10 * 2 ** 30);
    const started = performance.now();
    const { id, notKept } = world.take();
    assert.equal(notKept.large, 1);
    truncateSync(world.path('sparse'), 11 * 2 ** 30);
    assert.deepEqual(world.changeWords(id), ['changed sparse']);
    assert.ok(performance.now() - started < 1000);
  });

  it('undoes what lies deeper than a path can be long', () => {
    const before = treeLines(world.workspace);
    const { id } = world.take();
    const name = 'd'.repeat(250);
    makeDeep(world.workspace, name, 20);
    assert.throws(() => lstatSync(world.path(...Array<string>(20).fill(name))), /ENAMETOOLONG/);
    const changes = world.changes(id);
    assert.equal(changes.length, 1);
    assert.equal(changes[0]?.path.length, 20 * 251 + 'file'.length);
    assert.deepEqual(world.revert(id).left, []);
    assert.deepEqual(treeLines(world.workspace), before);
  });

  it('does not go deeper than it has descriptors, and says so', () => {
    makeDeep(world.workspace, 'd', 600);
    const { id } = world.take();
    const entries = [...(findManifest(world.store, id)?.entries.values() ?? [])];
    assert.equal(entries.at(-1)?.kind, 'closed');
    assert.equal(entries.length, 257);
  });

  it('does not look into folders whose paths are too long to be looked up', () => {
    const name = 'd'.repeat(250);
    makeDeep(world.workspace, name, 100);
    const { id } = world.take();
    const entries = [...(findManifest(world.store, id)?.entries ?? [])];
    assert.equal(entries.at(-1)?.[1].kind, 'closed');
    // of longer texts V8 takes the length for the hash
    assert.ok(entries.every(([path]) => path.length < 16_384));
  });

  it('keeps so much of .gitignore files only, and what is beyond hides nothing', () => {
    const rules = `*.txt\n#${'x'.repeat(2 ** 20 - 10)}`;
    for (let count = 10; count < 30; count += 1) {
      mkdirSync(world.path(`d${count}`));
      writeFileSync(world.path(`d${count}`, '.gitignore'), rules);
      writeFileSync(world.path(`d${count}`, 'a.txt'), 'a');
    }
    const { id } = world.take();
    const manifest = findManifest(world.store, id);
    const kept = [...(manifest?.entries.keys() ?? [])].filter((path) => path.endsWith('.txt'));
    assert.deepEqual([manifest?.ignoreFiles.size, kept.length], [17, 3]);
    assert.deepEqual(world.changeWords(id), []);
  });

  it('takes nothing for new that may have been ignored, and nothing for gone, when matching takes too long', () => {
    writeFileSync(world.path('.gitignore'), 'data*\n');
    for (const name of ['data1', 'data2', 'known']) writeFileSync(world.path(name), name);
    const { root } = openWorkspace(world.workspace);
    try {
      const options = { isClosed: () => false, mostMatchingSteps: 0 };
      const namesOf = ({ entries }: Walked): string[] => [...entries.keys()].sort();
      const first = walk(root, { ...options, ignoreFiles: 'read' });
      assert.deepEqual([namesOf(first), first.hidesNew], [['.gitignore', 'data1', 'data2', 'known'], false]);
      // what an earlier look has found is there, whether it is ignored or not; the rest is not known
      const isKnown = (path: string): boolean => ['.gitignore', 'data1', 'known'].includes(path);
      const given = { given: first.ignoreFiles };
      const later = walk(root, { ...options, ignoreFiles: given, isKnown });
      assert.deepEqual([namesOf(later), later.hidesNew], [['.gitignore', 'data1', 'known'], true]);
      const inTime = walk(root, { isClosed: () => false, ignoreFiles: given, isKnown });
      assert.deepEqual([namesOf(inTime), inTime.hidesNew], [['.gitignore', 'data1', 'known'], false]);
    } finally {
      closeSync(root);
    }
  });

  it('keeps no half of a file that changes while it is read', async () => {
    const path = world.path('busy');
    writeFileSync(path, Buffer.alloc(4 * 2 ** 20, 'a'));
    const program = `const fs = require('fs'); const file = fs.openSync(${JSON.stringify(path)}, 'a');
      console.log('ready'); for (;;) fs.writeSync(file, 'x'.repeat(1000));`;
    const writer = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(writer.stdout, 'data');
      const { id } = world.take();
      const entry = findManifest(world.store, id)?.entries.get(fromText('busy'));
      assert.ok(entry?.kind === 'file');
      if (entry.notKept === undefined) {
        const location = readPacks(world.store).get(entry.sha256 ?? '');
        assert.ok(location);
        assert.equal(readContent(world.store, entry.sha256 ?? '', location).length, entry.size);
      } else {
        assert.equal(entry.notKept, 'changing');
      }
    } finally {
      writer.kill('SIGKILL');
    }
  });

  it('writes nothing through links that stand in the place of folders and files when it undoes', () => {
    mkdirSync(world.path('src'));
    writeFileSync(world.path('src/key'), 'before\n');
    const { id } = world.take();
    rmSync(world.path('src'), { recursive: true });
    symlinkSync(join(folder(), 'home'), world.path('src'));
    assert.deepEqual(world.revert(id).left, []);
    assert.equal(readFileSync(join(folder(), 'home/key'), 'utf8'), secret);
    assert.equal(readFileSync(world.path('src/key'), 'utf8'), 'before\n');
    rmSync(world.path('src/key'));
    symlinkSync(join(folder(), 'home/key'), world.path('src/key'));
    assert.deepEqual(world.revert(id).left, []);
    assert.equal(readFileSync(join(folder(), 'home/key'), 'utf8'), secret);
    assert.equal(readFileSync(world.path('src/key'), 'utf8'), 'before\n');
  });

  it('writes nothing through a folder that becomes a link while it undoes', () => {
    for (const name of ['a', 'b']) {
      mkdirSync(world.path(name));
      writeFileSync(world.path(name, 'key'), `before ${name}\n`);
    }
    const before = findManifest(world.store, world.take().id);
    assert.ok(before);
    for (const name of ['a', 'b']) writeFileSync(world.path(name, 'key'), 'after\n');
    const paths = new Set([fromText('a/key'), fromText('b/key')]);
    const plan = planRevert({ before, present: lookAgain(before), paths });
    let isSwapped = false;
    const root = openSync(world.workspace, 'r');
    const { left } = carryOut(root, plan, () => {
      if (!isSwapped) {
        renameSync(world.path('b'), world.path('c'));
        symlinkSync(join(folder(), 'home'), world.path('b'));
      }
      isSwapped = true;
      return Buffer.from('before\n');
    });
    closeSync(root);
    assert.deepEqual(left, [{ path: 'b/key', reason: 'changed' }]);
    assert.equal(readFileSync(world.path('a/key'), 'utf8'), 'before\n');
    assert.equal(readFileSync(world.path('b/key'), 'utf8'), secret);
  });

  it('writes into no file that has another name elsewhere', () => {
    writeFileSync(world.path('shared'), 'before\n');
    const { id } = world.take();
    rmSync(world.path('shared'));
    linkSync(join(folder(), 'home/key'), world.path('shared'));
    assert.deepEqual(world.revert(id).left, []);
    assert.equal(readFileSync(join(folder(), 'home/key'), 'utf8'), secret);
    assert.equal(readFileSync(world.path('shared'), 'utf8'), 'before\n');
  });

  it('refuses when the folder itself was replaced', () => {
    writeFileSync(world.path('file'), 'before\n');
    const { id } = world.take();
    renameSync(world.workspace, join(folder(), 'aside'));
    mkdirSync(world.workspace);
    assert.throws(() => world.changes(id), /another one/);
    rmSync(world.workspace, { recursive: true });
    symlinkSync(join(folder(), 'home'), world.workspace);
    assert.throws(() => world.revert(id, [fromText('file')]), /notAFolder/);
    assert.deepEqual(readdirSync(join(folder(), 'home')), ['key']);
    rmSync(world.workspace);
  });
});
