import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanNotes, noteBegin, noteEnd } from '../../../../src/host/snapshot/runNotes';
import { cleanStores, listSnapshots } from '../../../../src/host/snapshot/store';
import { SnapshotWorld } from '../../../support/snapshots';
import { useTemporaryFolder } from '../../../support/temporaryFolder';
import { waitUntil } from '../../../support/waitUntil';

describe('rules of .gitignore files that a sandbox without a snapshot has made', () => {
  const folder = useTemporaryFolder();
  let world: SnapshotWorld;
  const other = 'a'.repeat(16);
  beforeEach(() => {
    world = new SnapshotWorld(folder());
    mkdirSync(world.path('src'));
    writeFileSync(world.path('src/main.py'), 'print(1)\n');
  });

  /** Writes a file at a later moment than now, as the kernel has it. */
  async function writeLater(name: string, text: string): Promise<void> {
    const now = Date.now();
    await waitUntil('it is later', () => {
      writeFileSync(world.path(name), text);
      return lstatSync(world.path(name)).ctimeMs > now + 1;
    });
  }

  /** Waits until the kernel's clock says so, too. */
  const later = (): Promise<void> => writeLater('clock', '');

  /** Takes a snapshot, and says whether it has looked at the file that the rules are to hide. */
  function sees(name = 'src/main.py', living: readonly string[] = []): boolean {
    const { id } = world.take({}, undefined, living);
    writeFileSync(world.path(name), `changed after ${id}\n`);
    const isSeen = world.changeWords(id).includes(`changed ${name}`);
    noteEnd(world.store, id, Date.now());
    return isSeen;
  }

  const ignoreSource = (): void => writeFileSync(world.path('.gitignore'), 'src\n');

  it('hide nothing while it runs', async () => {
    noteEnd(world.store, world.take().id, Date.now());
    await noteBegin(world.store, other, Date.now());
    await later();
    ignoreSource();
    assert.ok(sees('src/main.py', [other]));
  });

  it('hide nothing when it has ended, with a word or without', async () => {
    noteEnd(world.store, world.take().id, Date.now());
    await noteBegin(world.store, other, Date.now());
    await later();
    ignoreSource();
    assert.ok(sees(), 'killed');
    await noteBegin(world.store, 'b'.repeat(16), Date.now());
    await later();
    ignoreSource();
    noteEnd(world.store, 'b'.repeat(16), Date.now() + 1);
    assert.ok(sees(), 'ended');
  });

  it('hide nothing when it was the first of all in the folder', async () => {
    await noteBegin(world.store, other, Date.now());
    await later();
    ignoreSource();
    assert.ok(sees('src/main.py', [other]));
  });

  it('hide nothing where the snapshot before has looked at what is ignored, too', async () => {
    const { id } = world.take({ respectsIgnoreFiles: false });
    await later();
    ignoreSource();
    noteEnd(world.store, id, Date.now() + 1);
    assert.ok(sees());
  });

  it('leave those that the user has made before the first and after the last', async () => {
    mkdirSync(world.path('env'));
    for (const name of ['.gitignore', 'env/.gitignore']) writeFileSync(world.path(name), '*.bin\n');
    const ignored = ['old.bin', 'env/old.bin'];
    ignored.forEach((name) => writeFileSync(world.path(name), 'old'));
    await later();
    await noteBegin(world.store, other, Date.now());
    await later();
    noteEnd(world.store, other, Date.now());
    assert.deepEqual(
      ignored.map((name) => sees(name)),
      [false, false],
    );
    await writeLater('env/.gitignore', '!*.bin\n');
    assert.ok(sees('env/old.bin'), 'the user has changed them after the last');
  });

  it('are also those of the user that it has moved to another folder', async () => {
    for (const name of ['cache', 'cache/deep']) {
      mkdirSync(world.path(name));
      writeFileSync(world.path(name, '.gitignore'), '*\n');
    }
    await later();
    await noteBegin(world.store, other, Date.now());
    await later();
    renameSync(world.path('src'), world.path('tmp'));
    renameSync(world.path('cache'), world.path('src'));
    for (const name of ['src', 'src/deep']) writeFileSync(world.path(name, 'main.py'), 'print(1)\n');
    noteEnd(world.store, other, Date.now() + 1);
    const { id } = world.take();
    for (const name of ['src', 'src/deep']) writeFileSync(world.path(name, 'main.py'), 'changed\n');
    assert.deepEqual(world.changeWords(id), ['changed src/deep/main.py', 'changed src/main.py']);
  });

  it('hide nothing when it began after it was asked which ones run, nor does that say that it is over', async () => {
    noteEnd(world.store, world.take().id, Date.now());
    await noteBegin(world.store, other, Date.now() + 60_000);
    await later();
    ignoreSource();
    assert.ok(sees());
    assert.equal(readdirSync(world.store).includes(`${other}.ended`), false);
  });

  it('stay known when the snapshots of the folder are given up', async () => {
    const { id } = world.take();
    await noteBegin(world.store, id, Date.now());
    await later();
    ignoreSource();
    noteEnd(world.store, id, Date.now() + 1);
    cleanStores(world.directory, join(world.directory, 'f'.repeat(16)), new Set(), 0);
    assert.deepEqual(listSnapshots(world.store), []);
    assert.ok(sees());
  });

  it('are told from the user’s by the first and the last of them: of the others nothing is kept', async () => {
    const ids = ['1', '2', '3', '4'].map((digit) => digit.repeat(16));
    for (const [index, id] of ids.entries()) {
      await noteBegin(world.store, id, 1000 + index);
      noteEnd(world.store, id, 9000 - index);
    }
    await noteBegin(world.store, other, 5000);
    cleanNotes(world.store);
    const names = [`${ids[0]}.begun`, `${ids[0]}.ended`, `${other}.begun`];
    assert.deepEqual(readdirSync(world.store).sort(), names);
  });
});
