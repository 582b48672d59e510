import assert from 'node:assert/strict';
import { fromText } from '../../../src/snapshot/bytePath';
import {
  chooseLeftOut,
  foldersToDrop,
  packsToClean,
  snapshotsToDrop,
} from '../../../src/snapshot/keepPolicy';
import type { SnapshotName } from '../../../src/snapshot/manifestText';

describe('what is kept of a workspace', () => {
  const file = (path: string, size: number) => ({ path: fromText(path), size });

  it('leaves out what is larger than one file may be, and then the largest of the rest', () => {
    const files = [file('huge', 900), file('b', 40), file('a', 50), file('c', 30), file('empty', 0)];
    assert.deepEqual(
      [...chooseLeftOut(files, 100, 800)],
      [
        ['a', 'full'],
        ['huge', 'large'],
      ],
    );
  });

  it('keeps all of it when it just fits', () => {
    assert.equal(chooseLeftOut([file('a', 60), file('b', 40)], 100, 60).size, 0);
  });

  const day = 24 * 60 * 60 * 1000;
  const now = 100 * day;
  const snapshot = (id: string, time: number): SnapshotName => ({ fileName: id, id, time, reason: 'start' });

  it('drops all but the last twenty snapshots, and what is older than 30 days, but none of a live sandbox', () => {
    const many = Array.from({ length: 25 }, (_, index) => snapshot(String(index), now - 25 + index));
    const ids = (living: readonly string[]) =>
      snapshotsToDrop(many, new Set(living), now).map(({ id }) => id);
    assert.deepEqual(ids([]), ['0', '1', '2', '3', '4']);
    assert.deepEqual(ids(['2']), ['0', '1', '3', '4']);
    const old = [snapshot('old', now - 31 * day), snapshot('new', now - 29 * day)];
    assert.deepEqual(snapshotsToDrop(old, new Set(), now), [old[0]]);
  });

  it('never drops the last one', () => {
    assert.deepEqual(snapshotsToDrop([snapshot('old', 0)], new Set(), now), []);
  });

  it('removes packs of which nothing is needed, and rewrites those of which less than half is', () => {
    const packs = [
      { id: 'none', bytes: 10, neededBytes: 0 },
      { id: 'few', bytes: 10, neededBytes: 4 },
      { id: 'half', bytes: 10, neededBytes: 5 },
    ];
    assert.deepEqual(packsToClean(packs), { remove: ['none'], rewrite: ['few'] });
  });

  it('gives up the workspaces that were used longest ago when all take too much, but not the present one', () => {
    const folders = [
      { key: 'present', bytes: 50, lastUse: 1 },
      { key: 'old', bytes: 30, lastUse: 2 },
      { key: 'new', bytes: 30, lastUse: 3 },
    ];
    assert.deepEqual(foldersToDrop(folders, 110, 'present'), []);
    assert.deepEqual(foldersToDrop(folders, 100, 'present'), ['old']);
    assert.deepEqual(foldersToDrop(folders, 10, 'present'), ['old', 'new']);
  });
});
