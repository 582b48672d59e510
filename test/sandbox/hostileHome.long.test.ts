import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../src/host/removeTree';
import { PlantedHome, makeHuge, planted } from './support/plantedHome';
import { TestFolders } from './support/sandboxUnderTest';
import { changeDatabase, dataOf, homeOf, oneSession } from './support/sessionHome';

const everything = Object.keys(planted);
const ordinary = ['a closed file', 'a huge file', 'a hard link'];

describe('what an agent plants in its home', function () {
  this.timeout(300_000);
  let folders: TestFolders;
  let home: PlantedHome;
  beforeEach(async () => {
    folders = new TestFolders();
    home = await PlantedHome.of(folders);
    changeDatabase(folders, oneSession);
  });
  afterEach(async () => {
    // rmSync can't remove what is closed, or deep
    await removeTree(homeOf(folders));
    folders.remove();
  });

  const data = (name: string): string => join(dataOf(folders), name);

  for (const place of ['.cache', '.config', '.local/state', '.bun', '.npm']) {
    for (const what of ['a link to the backups', 'a link to nothing', 'a FIFO', 'a closed folder']) {
      it(`${what} as ${place} does not get in the way of a backup`, async () => {
        await home.plant(place, what);
        assert.equal(await home.open(), '');
        assert.equal((await home.backups()).length, 1);
        assert.deepEqual(home.strangers(), []);
        assert.notEqual((await home.backups())[0]?.bytes, 0);
      });
    }
  }

  it('programs that Bun or opencode would load do not run', async () => {
    const program =
      "require('fs').writeFileSync('/mnt/backups/planted', ''); require('fs').writeFileSync(process.env.HOME + '/ran', '');";
    const plugin =
      "import fs from 'node:fs'; export const Planted = async () => { fs.writeFileSync('/mnt/backups/planted', ''); return {}; };";
    const below = (path: string): string => join(homeOf(folders), path);
    for (const folder of [
      '.config/opencode/plugin',
      '.config/opencode/plugins',
      '.opencode/plugin',
      '.config',
    ])
      mkdirSync(below(folder), { recursive: true });
    writeFileSync(below('planted.js'), program);
    for (const name of ['.bunfig.toml', 'bunfig.toml', '.config/.bunfig.toml'])
      writeFileSync(
        below(name),
        `preload = ["/home/agent/planted.js"]\n[run]\npreload = ["/home/agent/planted.js"]\n`,
      );
    writeFileSync(
      below('.env'),
      'BUN_OPTIONS=--preload=/home/agent/planted.js\nNODE_OPTIONS=--require=/home/agent/planted.js\n',
    );
    for (const folder of ['.config/opencode/plugin', '.config/opencode/plugins', '.opencode/plugin'])
      writeFileSync(below(`${folder}/planted.js`), plugin);
    assert.equal(await home.open(), '');
    assert.equal((await home.backups()).length, 1);
    assert.deepEqual(home.strangers(), []);
    assert.equal(existsSync(below('ran')), false);
  });

  for (const name of ['opencode.db', 'opencode.db-wal', 'opencode.db-shm', 'opencode.db-journal']) {
    for (const what of everything) {
      it(`${what} as ${name} is noticed or borne, and the sessions come back from the backup`, async () => {
        await home.open();
        const [backup] = await home.backups();
        assert(backup);
        await home.plant(name, what);
        await home.endBadly();
        const found = await home.open();
        // an agent can write ordinary files that hold no sessions any more; all else is said, or SQLite does without it
        if (!ordinary.includes(what)) assert.ok(found !== '' || (await home.titles()).length > 0);
        await home.remedy({ kind: 'restore', backup });
        assert.deepEqual(await home.titles(), ['Plot the muons']);
        assert.equal(await home.open(), '');
        await home.remedy({ kind: 'startFresh' });
        assert.equal(existsSync(data('opencode.db')), false);
        assert.equal(lstatSync(data('damaged')).isDirectory(), true);
        assert.equal((await home.backups()).length, 1);
        assert.deepEqual(home.strangers(), []);
      });
    }
  }

  for (const what of everything) {
    it(`${what} where work is done does not get in the way of a repair`, async () => {
      await home.open();
      const [backup] = await home.backups();
      assert(backup);
      const plantAll = async (): Promise<void> => {
        for (const name of ['opencode.db.repaired', 'opencode.db.restored', 'opencode.db.damaged'])
          await home.plant(name, what);
        if (what !== 'a hard link') await home.plant('.local/share/opencode/damaged', what);
      };
      await plantAll();
      const before = readFileSync(data('opencode.db'));
      assert.match(await home.remedy({ kind: 'repair' }), /sessions: 1,/);
      const [aside] = readdirSync(data('damaged')).filter((name) =>
        existsSync(data(`damaged/${name}/opencode.db`)),
      );
      assert.ok(readFileSync(data(`damaged/${aside}/opencode.db`)).equals(before));
      assert.deepEqual(await home.titles(), ['Plot the muons']);
      await plantAll();
      await home.remedy({ kind: 'restore', backup });
      assert.deepEqual(await home.titles(), ['Plot the muons']);
      await plantAll();
      await home.remedy({ kind: 'startFresh' });
      assert.deepEqual(await home.titles(), []);
      assert.deepEqual(home.strangers(), []);
    });
  }

  for (const place of ['.local', '.local/share', '.local/share/opencode']) {
    for (const what of ['a link to the backups', 'a link to nothing', 'a FIFO', 'a closed file']) {
      it(`${what} as ${place} is told, again and again`, async () => {
        await home.plant(place, what);
        await home.endBadly();
        assert.match(await home.open(), /link or no folder/);
        assert.match(await home.open(), /link or no folder/);
        await assert.rejects(home.remedy({ kind: 'startFresh' }), { code: 'home.notKept' });
        assert.deepEqual(await home.backups(), []);
        assert.deepEqual(home.strangers(), []);
      });
    }

    it(`${place} closed to everybody is opened up`, async () => {
      chmodSync(join(homeOf(folders), place), 0);
      await home.endBadly();
      assert.equal(await home.open(), '');
      assert.equal((await home.backups()).length, 1);
      assert.deepEqual(await home.titles(), ['Plot the muons']);
    });
  }

  it('a database that says that it is a terabyte, or is, fills no disk', async () => {
    changeDatabase(folders, "db.exec('PRAGMA wal_checkpoint(TRUNCATE)')");
    for (const name of ['-wal', '-shm']) rmSync(data(`opencode.db${name}`), { force: true });
    makeHuge(data('opencode.db'));
    const free = (): number => statfsSync(folders.root).bfree * statfsSync(folders.root).bsize;
    const before = free();
    await home.open();
    await home
      .remedy({ kind: 'repair' })
      .catch((error: unknown) => assert.match(String(error), /could not be done/));
    await home.remedy({ kind: 'startFresh' });
    assert.deepEqual(home.strangers(), []);
    // others use the disk, too
    assert.ok(before - free() < 2 ** 30);
  });
});
