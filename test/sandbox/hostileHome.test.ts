import assert from 'node:assert/strict';
import { PlantedHome } from './support/plantedHome';
import { TestFolders } from './support/sandboxUnderTest';
import { changeDatabase, oneSession } from './support/sessionHome';

// everything in every place is tried in hostileHome.long.test.ts
describe('an agent’s home in which something was planted', () => {
  let folders: TestFolders;
  let home: PlantedHome;
  beforeEach(async () => {
    folders = new TestFolders();
    home = await PlantedHome.of(folders);
    changeDatabase(folders, oneSession);
  });
  afterEach(() => folders.remove());

  it('is backed up although links lead from where opencode makes folders to the backups', async () => {
    for (const place of ['.cache', '.config', '.local/state'])
      await home.plant(place, 'a link to the backups');
    assert.equal(await home.open(), '');
    assert.equal((await home.backups()).length, 1);
    assert.deepEqual(home.strangers(), []);
  });

  it('gets its sessions back although a pipe is beside the database, and folders where work is done', async () => {
    await home.open();
    const [backup] = await home.backups();
    assert(backup);
    await home.plant('opencode.db-journal', 'a FIFO');
    await home.plant('opencode.db.restored', 'a folder');
    await home.plant('.local/share/opencode/damaged', 'a link to the backups');
    await home.endBadly();
    assert.equal(await home.open(), 'damaged');
    await home.remedy({ kind: 'restore', backup });
    assert.deepEqual(await home.titles(), ['Plot the muons']);
    assert.deepEqual(home.strangers(), []);
  });

  it('is told, and nothing is moved, when a link is in the place of opencode’s folder', async () => {
    await home.plant('.local/share/opencode', 'a link to the backups');
    assert.match(await home.open(), /link or no folder/);
    await assert.rejects(home.remedy({ kind: 'startFresh' }), { code: 'home.notKept' });
    await assert.rejects(home.remedy({ kind: 'repair' }), { code: 'home.notKept' });
    assert.deepEqual(home.strangers(), []);
  });
});
