import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Change } from '../../../../src/snapshot/diff';
import { stateOf } from '../../../../src/snapshot/keptStates';
import { SnapshotWorld } from '../../../support/snapshots';
import { useTemporaryFolder } from '../../../support/temporaryFolder';
import { treeLines } from '../../../support/treeLines';

describe('undo with more changes than are listed', () => {
  const folder = useTemporaryFolder();
  let world: SnapshotWorld;
  const read = (name: string): string => readFileSync(world.path(name), 'utf8');
  const names = ['!1', '!2', '!3', 'real1', 'real2'];
  const wordsOf = (changes: readonly Change[]): string[] => changes.map(({ path }) => path);
  const keptOf = (changes: readonly Change[]) =>
    new Map(changes.map((change) => [change.path, stateOf(change)]));
  let id: string;
  beforeEach(() => {
    world = new SnapshotWorld(folder());
    mkdirSync(world.path('src'));
    writeFileSync(world.path('src/main.py'), 'print(1)\n');
    ({ id } = world.take());
    for (const name of names) writeFileSync(world.path(name), name);
  });

  it('lists what comes behind those that are kept, and counts the others', () => {
    const first = world.compare(id, new Map(), 3);
    assert.deepEqual([wordsOf(first.changes), first.unlisted, first.files], [names.slice(0, 3), 2, 5]);
    const second = world.compare(id, keptOf(first.changes), 3);
    assert.deepEqual([wordsOf(second.changes), second.unlisted, second.files], [names.slice(3), 0, 5]);
  });

  it('lists a kept one again that has changed once more', () => {
    const kept = keptOf(world.changes(id));
    writeFileSync(world.path('!2'), 'once more');
    assert.deepEqual(wordsOf(world.compare(id, kept).changes), ['!2']);
  });

  it('brings back all but what is kept, and undoing that brings back all of it', () => {
    const kept = keptOf(world.changes(id).slice(0, 1));
    const after = treeLines(world.workspace);
    writeFileSync(world.path('src/main.py'), 'print(2)\n');
    assert.deepEqual(world.revert(id, { allBut: kept, changes: 5 }), { done: 5, left: [] });
    assert.deepEqual(wordsOf(world.changes(id)), ['!1']);
    assert.equal(read('src/main.py'), 'print(1)\n');
    world.revert(world.lastRevert(), 'touched');
    assert.equal(read('src/main.py'), 'print(2)\n');
    writeFileSync(world.path('src/main.py'), 'print(1)\n');
    assert.deepEqual(treeLines(world.workspace), after);
  });

  it('brings back nothing when it is not as many as was said', () => {
    const before = treeLines(world.workspace);
    for (const changes of [4, 6]) {
      assert.throws(() => world.revert(id, { allBut: new Map(), changes }), { failure: 'others' });
    }
    assert.deepEqual(treeLines(world.workspace), before);
    assert.throws(() => world.lastRevert());
  });

  it('leaves what is kept where there is no room to note it before', () => {
    rmSync(world.path('real1'));
    ({ id } = world.take({ maximumBytes: 60 }));
    writeFileSync(world.path('!kept'), 'k'.repeat(70));
    const kept = keptOf(world.changes(id));
    assert.equal(kept.size, 1);
    writeFileSync(world.path('real1'), 'agent');
    assert.deepEqual(world.revert(id, { allBut: kept, changes: 1 }).left, []);
    assert.deepEqual(wordsOf(world.changes(id)), ['!kept']);
  });
});
