import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSnapshotWork } from '../../../../src/host/snapshot/snapshotThread';
import { listSnapshots } from '../../../../src/host/snapshot/store';
import { cleanUp, take } from '../../../../src/host/snapshot/work';
import { projectFile } from '../../../support/projectFile';
import { SnapshotWorld, usualLimits } from '../../../support/snapshots';
import { useTemporaryFolder } from '../../../support/temporaryFolder';

const script = projectFile('dist/snapshots.js');

describe('the store of snapshots', () => {
  const folder = useTemporaryFolder();
  let world: SnapshotWorld;
  beforeEach(() => {
    world = new SnapshotWorld(folder());
  });

  const order = (id: string, time = Date.now()) =>
    ({
      ...{ workspace: world.workspace, store: world.store, closed: [], id, time },
      reason: 'start',
      limits: usualLimits,
    }) as const;

  function packBytes(): number {
    const packs = readdirSync(world.store).filter((name) => name.endsWith('.pack'));
    return packs.reduce((sum, name) => sum + statSync(join(world.store, name)).size, 0);
  }

  it('keeps each content once, in files that only we may read', () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(world.path(name), 'the same\n');
    world.take();
    writeFileSync(world.path('d'), 'the same\n');
    writeFileSync(world.path('e'), 'another\n');
    world.take();
    assert.equal(packBytes(), 'the same\n'.length + 'another\n'.length);
    for (const name of readdirSync(world.store)) {
      assert.equal(lstatSync(join(world.store, name)).mode & 0o777, 0o600, name);
    }
  });

  it('does not share an inode with the workspace: writing in place changes nothing that is kept', () => {
    writeFileSync(world.path('file'), 'before\n');
    const { id } = world.take();
    writeFileSync(world.path('file'), 'AFTER!\n', { flag: 'r+' });
    world.revert(id);
    assert.equal(readFileSync(world.path('file'), 'utf8'), 'before\n');
  });

  it('gives up contents that no snapshot needs any more, and keeps what the others need', () => {
    const old = Date.now() - 40 * 24 * 60 * 60 * 1000;
    writeFileSync(world.path('stays'), 's'.repeat(100));
    writeFileSync(world.path('goes'), 'g'.repeat(1000));
    const taken = order('a'.repeat(16), old);
    const work = { type: 'take', order: taken, directory: world.directory, living: [] } as const;
    take(work);
    rmSync(world.path('goes'));
    const { id } = world.take();
    cleanUp({ ...work, order: order(id) });
    assert.equal(packBytes(), 100);
    assert.deepEqual(
      listSnapshots(world.store).map((snapshot) => snapshot.id),
      [id],
    );
    rmSync(world.path('stays'));
    world.revert(id);
    assert.equal(readFileSync(world.path('stays'), 'utf8'), 's'.repeat(100));
  });

  it('leaves a file as it is when what it was is damaged', () => {
    writeFileSync(world.path('file'), 'before\n');
    const { id } = world.take();
    writeFileSync(world.path('file'), 'after\n');
    const pack = readdirSync(world.store).find((name) => name.endsWith('.pack')) ?? '';
    writeFileSync(join(world.store, pack), 'BEFORE\n');
    assert.deepEqual(world.revert(id).left, [{ path: 'file', reason: 'failed' }]);
    assert.equal(readFileSync(world.path('file'), 'utf8'), 'after\n');
    assert.deepEqual(readdirSync(world.workspace), ['file']);
  });

  it('reads a content again that is not in the store any more', () => {
    writeFileSync(world.path('file'), 'before\n');
    world.take();
    for (const name of readdirSync(world.store)) {
      if (/\.(pack|index)$/.test(name)) rmSync(join(world.store, name));
    }
    const { id } = world.take();
    writeFileSync(world.path('file'), 'after\n');
    world.revert(id);
    assert.equal(readFileSync(world.path('file'), 'utf8'), 'before\n');
  });

  it('goes on with the snapshots before one that was cut off', () => {
    writeFileSync(world.path('file'), 'before\n');
    world.take();
    const [latest] = listSnapshots(world.store);
    truncateSync(join(world.store, latest?.fileName ?? ''), 20);
    const { files } = world.take();
    assert.equal(files, 1);
  });

  describe('in a thread', () => {
    it('is worked on by one at a time', async () => {
      for (let number = 0; number < 200; number += 1)
        writeFileSync(world.path(`file${number}`), String(number));
      const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(16));
      const works = ids.map((id) =>
        startSnapshotWork(
          { type: 'take', order: order(id), directory: world.directory, living: [] },
          { script },
        ),
      );
      const summaries = await Promise.all(works.map(({ result }) => result));
      assert.deepEqual(
        summaries.map(({ files }) => files),
        [200, 200, 200],
      );
      await Promise.all(works.map(({ over }) => over));
      assert.equal(listSnapshots(world.store).length, 3);
      assert.equal(readdirSync(world.store).includes('lock'), false);
      assert.equal(readdirSync(world.store).filter((name) => name.endsWith('.pack')).length, 1);
    });

    it('ends at once when it is given up, and holds nobody up afterwards', async () => {
      for (let number = 0; number < 3000; number += 1)
        writeFileSync(world.path(`file${number}`), String(number));
      const stop = new AbortController();
      const work = {
        type: 'take',
        order: order('a'.repeat(16)),
        directory: world.directory,
        living: [],
      } as const;
      const given = startSnapshotWork(work, { script, signal: stop.signal, onProgress: () => stop.abort() });
      await assert.rejects(given.result, { name: 'AbortError' });
      await given.over;
      assert.deepEqual(listSnapshots(world.store), []);
      const next = startSnapshotWork({ ...work, order: order('b'.repeat(16)) }, { script });
      assert.equal((await next.result).files, 3000);
      await next.over;
    });

    it('gives a window so many changes only as it can take at once, and says how many more there are', async () => {
      const { id } = world.take();
      for (let number = 0; number < 50; number += 1) writeFileSync(world.path(`n${number}`), '');
      const work = { type: 'compare', store: world.store, id, kept: new Map(), mostListed: 20 } as const;
      const { changes, unlisted, files } = await startSnapshotWork(work, { script }).result;
      assert.deepEqual([changes.length, unlisted, files], [20, 30, 50]);
    });

    it('says that there is no such snapshot', async () => {
      const id = 'f'.repeat(16);
      const work = { type: 'compare', store: world.store, id, kept: new Map(), mostListed: 20 } as const;
      await assert.rejects(startSnapshotWork(work, { script }).result, { failure: 'missing' });
    });
  });
});
