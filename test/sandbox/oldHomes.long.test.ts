import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { startDemoModel } from '../../scripts/demoModel/server';
import { readBackups } from '../../src/host/homeBackups';
import { backupsOf, readHomeUses } from '../../src/host/homeFolder';
import { openHome, OlderHome } from '../../src/launch/homeOpening';
import { configureModel, greetingScenario } from '../support/agentWorkspace';
import { waitUntil } from '../support/waitUntil';
import { keptAgent, openingOptions } from './support/keptHome';
import { inspectHome, keptTask, sessionsOf } from './support/manyWrites';
import { endOf, startSandbox, TestFolders } from './support/sandboxUnderTest';
import { changeDatabase, dataOf, makeData, oneSession, readerOf } from './support/sessionHome';

/** What opencode 1.1.65 and 1.2.27 left themselves, see scripts/oldHomes.ts. */
const fixtures = resolve(__dirname, '../../../test/sandbox/oldHomes');
const readFixture = (name: string): unknown => JSON.parse(readFileSync(join(fixtures, name), 'utf8'));

describe('an agent’s home of an older opencode', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  function makeHome11(): void {
    for (const [name, content] of Object.entries(readFixture('home-1.1.json') as Record<string, string>)) {
      const path = join(makeData(folders), name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }

  it('of 1.1: says what it is, asks before a database is made beside it, and goes on saying so', async () => {
    makeHome11();
    const { reader } = readerOf(folders);
    try {
      await reader.refresh();
      assert.equal(reader.store.problem, 'olderLayout');
      const agent = await keptAgent(folders);
      await assert.rejects(openHome(agent, openingOptions()), OlderHome);
      assert.deepEqual(await openHome(agent, { ...openingOptions(), acceptsOlder: true }), []);
      changeDatabase(folders, oneSession);
      await reader.refresh();
      assert.equal(reader.store.problem, undefined);
      assert.equal(reader.store.size, 1);
      assert.equal(reader.store.listed?.older, 1);
      assert.deepEqual(await openHome(agent, openingOptions()), [], 'nobody is asked again');
    } finally {
      await reader.close();
    }
  });

  it('of 1.2: is listed, backed up before a later version changes it, and goes on with it', async () => {
    const { schema, rows } = readFixture('home-1.2.json') as {
      schema: string[];
      rows: Record<string, object[]>;
    };
    changeDatabase(
      folders,
      `for (const sql of ${JSON.stringify(schema)}) db.exec(sql);
for (const [table, rows] of Object.entries(${JSON.stringify(rows)})) for (const row of rows) insert('"' + table + '"', row);`,
    );
    const [session, ...others] = await sessionsOf(folders);
    assert.ok(session && others.length === 0);
    assert.equal(session.title, 'A greeting');
    assert.equal(session.version, '1.2.27');
    assert.equal(session.sums?.messages, 3);
    assert.equal(session.sums.isOpen, false);
    const model = await startDemoModel({ scenario: greetingScenario });
    try {
      configureModel(folders.workspace, model.baseUrl);
      const task = await keptTask(folders, 'greet Bea');
      assert.deepEqual(await openHome(task, openingOptions()), []);
      const [backup] = await readBackups(task.homeFolder);
      assert(backup);
      const { connection } = await startSandbox(task);
      assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 0 });
      // the supervisor tells the end before it has put everything away
      await waitUntil('it is put away', async () => (await readHomeUses(task.homeFolder)).live.length === 0);
      assert.deepEqual((await readHomeUses(task.homeFolder)).badEnds, []);
      assert.equal(await inspectHome(task), 'good');
      const after = await sessionsOf(folders);
      assert.deepEqual(
        after.map(({ version, sums }) => [version.split('.')[1], (sums?.messages ?? 0) > 2]).sort(),
        [
          ['18', true],
          ['2', true],
        ],
      );
      // a table that only 1.18 has: the backup is older
      const saved = readFileSync(join(backupsOf(task.homeFolder), backup.name), 'latin1');
      const changed = readFileSync(join(dataOf(folders), 'opencode.db'), 'latin1');
      const wal = readFileSync(join(dataOf(folders), 'opencode.db-wal'), 'latin1');
      assert.doesNotMatch(saved, /session_input/);
      assert.match(changed + wal, /session_input/);
    } finally {
      await model.close();
    }
  });
});
