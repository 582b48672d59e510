import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { startDemoModel } from '../../scripts/demoModel/server';
import { readBackups } from '../../src/host/homeBackups';
import {
  backupsOf,
  noteHomeUse,
  ownHomeUse,
  readHomeRecord,
  writeHomeRecord,
} from '../../src/host/homeFolder';
import { DamagedHome, openHome } from '../../src/launch/homeOpening';
import { remedyHome, type HomeRemedy } from '../../src/launch/homeRemedies';
import { formatMessage } from '../../src/sandbox/message';
import type { UserError } from '../../src/sandbox/userError';
import { configureModel, greetingScenario } from '../support/agentWorkspace';
import { keptAgent, openingOptions } from './support/keptHome';
import { initialiseGit } from './support/git';
import { keptTask } from './support/manyWrites';
import { plainTask } from './support/plainCommand';
import { endOf, startSandbox, TestFolders } from './support/sandboxUnderTest';
import { changeDatabase, dataOf, homeOf, oneSession, readerOf } from './support/sessionHome';

/** Some thousand rows, in pages of which some can be damaged; then everything is merged into one file. */
const manyRows = `${oneSession}
db.exec('BEGIN');
for (let n = 10; n < 3000; n += 1) insert('message', { id: id('msg', n), session_id: id('ses', 1), time_created: n,
  time_updated: n, data: JSON.stringify({ role: 'user', text: 'x'.repeat(200) }) });
db.exec('COMMIT');
db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
`;
const messagesMade = 2992;

describe('opening an agent’s home', () => {
  let folders: TestFolders;
  let specification: Awaited<ReturnType<typeof keptAgent>>;
  let options: ReturnType<typeof openingOptions>;
  beforeEach(async () => {
    folders = new TestFolders();
    specification = await keptAgent(folders);
    options = openingOptions();
  });
  afterEach(() => folders.remove());

  const database = (): string => join(dataOf(folders), 'opencode.db');
  const open = (): ReturnType<typeof openHome> => openHome(specification, options);

  /** As a supervisor that was killed leaves it. */
  async function endBadly(): Promise<void> {
    const { pid } = spawnSync('/bin/true');
    await noteHomeUse(specification.homeFolder, {
      ...(await ownHomeUse(specification.id)),
      pid,
      startTime: '1',
    });
  }

  function damage(offset: number, bytes: number): void {
    const file = openSync(database(), 'r+');
    writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, offset);
  }

  async function damaged(): Promise<DamagedHome> {
    let found: unknown;
    await assert.rejects(open(), (error) => {
      found = error;
      return error instanceof DamagedHome;
    });
    return found as DamagedHome;
  }

  async function remedy(what: HomeRemedy): Promise<string> {
    try {
      return formatMessage(await remedyHome(specification, what, options));
    } catch (error) {
      if (error instanceof Error) error.stack += options.log.join('\n');
      throw error;
    }
  }

  async function titles(): Promise<string[]> {
    const { reader } = readerOf(folders);
    try {
      await reader.refresh();
      assert.equal(reader.store.problem === 'none' ? undefined : reader.store.problem, undefined);
      return reader.store.sessions.map(({ title }) => title);
    } finally {
      await reader.close();
    }
  }

  it('starts nothing for an empty home, nor for one that was left in order', async () => {
    assert.deepEqual(await open(), []);
    changeDatabase(folders, oneSession);
    assert.deepEqual(await open(), []);
    assert.deepEqual(options.told, []);
    assert.deepEqual(options.log, []);
  });

  it('checks a home that nobody knows and makes a backup, once', async () => {
    changeDatabase(folders, oneSession);
    assert.deepEqual(await open(), []);
    assert.equal(options.told.length, 2);
    const [backup, ...others] = await readBackups(specification.homeFolder);
    assert.ok(backup && others.length === 0);
    const file = join(backupsOf(specification.homeFolder), backup.name);
    assert.match(readFileSync(file, 'latin1'), /Plot the muons/, 'what was only in the log is in it');
    assert.equal(statSync(file).mode & 0o077, 0);
    const record = await readHomeRecord(specification.homeFolder);
    assert.match(record?.version ?? '', /^1\.\d+\.\d+$/);
    await open();
    assert.equal(options.told.length, 2);
  });

  it('makes a backup before another version of opencode, and keeps three', async () => {
    changeDatabase(folders, oneSession);
    await open();
    const record = await readHomeRecord(specification.homeFolder);
    assert(record);
    const anotherImage = { ...record, image: { ...record.image, inode: '1' } };
    await writeHomeRecord(specification.homeFolder, anotherImage);
    await open();
    assert.equal((await readBackups(specification.homeFolder)).length, 1, 'the same version: no backup');
    for (const version of ['1.2.2', '1.2.3', '1.2.4']) {
      await writeHomeRecord(specification.homeFolder, { ...anotherImage, version });
      await open();
    }
    assert.deepEqual(
      (await readBackups(specification.homeFolder)).map(({ version }) => version),
      ['1.2.4', '1.2.3', '1.2.2'],
    );
  });

  it('checks after an end that was not a good one, and forgets it', async () => {
    await open();
    changeDatabase(folders, oneSession);
    await endBadly();
    assert.deepEqual(await open(), []);
    assert.match(options.told.join(), /had no time to close/);
    assert.deepEqual(await open(), []);
    assert.equal(options.told.length, 1);
  });

  it('says that a database is damaged, and rebuilds it from what can be read', async () => {
    changeDatabase(folders, manyRows);
    rmSync(`${database()}-wal`, { force: true });
    rmSync(`${database()}-shm`, { force: true });
    await open();
    await endBadly();
    const { size } = statSync(database());
    damage(Math.floor(size / 2 / 4096) * 4096, 3 * 4096);
    const before = readFileSync(database());
    const { backups, message } = await damaged();
    assert.equal(backups.length, 1);
    assert.match(message, /is damaged/);
    assert.ok(readFileSync(database()).equals(before), 'nothing was changed');
    const text = await remedy({ kind: 'repair' });
    const [, sessions, messages, aside] =
      /sessions: (\d+), messages: (\d+).*gaps: \d.*damaged\/(\w+)/.exec(text) ?? [];
    assert.equal(sessions, '1');
    assert.ok(Number(messages) > messagesMade - 100 && Number(messages) < messagesMade, text);
    assert.deepEqual(await titles(), ['Plot the muons']);
    assert.ok(readFileSync(join(dataOf(folders), 'damaged', aside ?? '', 'opencode.db')).equals(before));
    assert.deepEqual(await open(), []);
  });

  it('rebuilds one whose index alone is damaged, and one that was cut off', async () => {
    changeDatabase(folders, manyRows);
    await open();
    const whole = readFileSync(database());
    // the last pages are those of the indexes and of the last rows
    for (const change of [
      () => truncateSync(database(), Math.floor(whole.length / 3)),
      () => damage(2 * 4096, 4096),
    ]) {
      writeFileSync(database(), whole);
      change();
      await endBadly();
      await damaged();
      const text = await remedy({ kind: 'repair' });
      assert.match(text, /sessions: 1,/);
      assert.deepEqual(await titles(), ['Plot the muons']);
    }
  });

  it('rebuilds what the lesson’s command left in a git workspace, and opencode itself goes on with it', async () => {
    const model = await startDemoModel({ scenario: greetingScenario });
    try {
      const { workspace } = folders;
      configureModel(workspace, model.baseUrl);
      initialiseGit(workspace);
      await plainTask(workspace, homeOf(folders), 'greet Ada');
      changeDatabase(folders, "db.exec('PRAGMA wal_checkpoint(TRUNCATE)');");
      for (const suffix of ['-wal', '-shm']) rmSync(`${database()}${suffix}`, { force: true });
      const { size } = statSync(database());
      damage(size - 3 * 4096, 3 * 4096);
      await damaged();
      assert.match(await remedy({ kind: 'repair' }), /sessions: 1,/);
      const task = await keptTask(folders, 'greet Bea');
      assert.deepEqual(await openHome(task, options), []);
      const { connection } = await startSandbox(task);
      assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 0 });
      assert.equal((await titles()).length, 2);
    } finally {
      await model.close();
    }
  });

  it('changes nothing when there is nothing to be read', async () => {
    mkdirSync(dataOf(folders), { recursive: true });
    writeFileSync(database(), 'no database at all, but longer than a header'.repeat(100));
    const before = readFileSync(database());
    assert.equal((await damaged()).backups.length, 0);
    await assert.rejects(remedy({ kind: 'repair' }), (error) => (error as UserError).code === 'home.notKept');
    assert.ok(readFileSync(database()).equals(before));
    assert.deepEqual(readdirSync(dataOf(folders)), ['opencode.db']);
  });

  it('restores a backup, and starts fresh, with the damaged database moved aside', async () => {
    changeDatabase(folders, oneSession);
    await open();
    await endBadly();
    damage(0, 4096);
    rmSync(`${database()}-wal`);
    const { backups } = await damaged();
    assert(backups[0]);
    await remedy({ kind: 'restore', backup: backups[0] });
    assert.deepEqual(await titles(), ['Plot the muons']);
    assert.deepEqual(await open(), []);
    assert.match(await remedy({ kind: 'startFresh' }), /without sessions/);
    assert.deepEqual(await titles(), []);
    assert.equal(existsSync(database()), false);
    assert.equal(readdirSync(join(dataOf(folders), 'damaged')).length, 2);
  });

  it('touches nothing while a sandbox uses the home', async () => {
    changeDatabase(folders, oneSession);
    await noteHomeUse(specification.homeFolder, await ownHomeUse(specification.id));
    await assert.rejects(
      remedy({ kind: 'startFresh' }),
      (error) => (error as UserError).code === 'home.inUse',
    );
    assert.ok(existsSync(database()));
  });
});
