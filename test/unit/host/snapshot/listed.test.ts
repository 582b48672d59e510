import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { digestOf } from '../../../../src/host/snapshot/changesDigest';
import { fromText } from '../../../../src/snapshot/bytePath';
import type { Change } from '../../../../src/snapshot/diff';
import { type KeptStates, stateOf } from '../../../../src/snapshot/keptStates';
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
  /** the order of somebody who is asked now */
  const allBut = (kept: KeptStates) => ({ allBut: kept, digest: world.compare(id, kept, 1).digest });
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
    assert.deepEqual(world.revert(id, allBut(kept)), { done: 5, left: [] });
    assert.deepEqual(wordsOf(world.changes(id)), ['!1']);
    assert.equal(read('src/main.py'), 'print(1)\n');
    world.revert(world.lastRevert(), 'touched');
    assert.equal(read('src/main.py'), 'print(2)\n');
    writeFileSync(world.path('src/main.py'), 'print(1)\n');
    assert.deepEqual(treeLines(world.workspace), after);
  });

  const meanwhile: Readonly<Record<string, () => void>> = {
    'there is one more': () => writeFileSync(world.path('later'), 'later'),
    'there is one less': () => rmSync(world.path('real1')),
    'a kept one has changed once more instead of one that is gone': () => {
      writeFileSync(world.path('!1'), 'once more');
      rmSync(world.path('real2'));
    },
    'there is another one instead of one that is gone': () => {
      rmSync(world.path('real2'));
      writeFileSync(world.path('later'), 'real2');
    },
    'one has another content': () => writeFileSync(world.path('real2'), 'REAL2'),
    'one has other permissions': () => chmodSync(world.path('real2'), 0o700),
  };
  for (const [what, happens] of Object.entries(meanwhile)) {
    it(`brings back nothing of what somebody was asked about when ${what}`, () => {
      const order = allBut(keptOf(world.changes(id).slice(0, 1)));
      happens();
      const before = treeLines(world.workspace);
      assert.throws(() => world.revert(id, order), { failure: 'others' });
      assert.deepEqual(treeLines(world.workspace), before);
      assert.throws(() => world.lastRevert());
    });
  }

  it('tells any number of changes from others', () => {
    const many = (count: number): Change[] =>
      Array.from({ length: count }, (_, number) => ({ path: fromText(`${number}`), kind: 'gone' }));
    const digests = [0, 1, 999, 1000, 1001, 2000, 2001].map((count) => digestOf(many(count)));
    assert.equal(new Set(digests).size, digests.length);
    assert.equal(digestOf(many(2001)), digests.at(-1));
    const last = { path: fromText('1500'), kind: 'gone', from: fromText('x') } as const;
    assert.notEqual(digestOf(many(2001).with(1500, last)), digests.at(-1));
  });

  it('leaves what is kept where there is no room to note it before', () => {
    rmSync(world.path('real1'));
    ({ id } = world.take({ maximumBytes: 60 }));
    writeFileSync(world.path('!kept'), 'k'.repeat(70));
    const kept = keptOf(world.changes(id));
    assert.equal(kept.size, 1);
    writeFileSync(world.path('real1'), 'agent');
    assert.deepEqual(world.revert(id, allBut(kept)).left, []);
    assert.deepEqual(wordsOf(world.changes(id)), ['!kept']);
  });
});
