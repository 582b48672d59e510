import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionProblem } from '../../src/opencode/sessions/sessionStore';
import type { SessionReader } from '../../src/launch/sessionReader';
import { shellImage } from '../support/environment';
import { processesBelow, stillRunning, type KnownProcess } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { TestFolders } from './support/sandboxUnderTest';
import { changeDatabase, dataOf, homeOf, id, makeData, readerOf, oneSession } from './support/sessionHome';

describe('reading sessions', () => {
  let folders: TestFolders;
  let reader: SessionReader;
  let log: string[];
  let changes: () => number;
  beforeEach(() => {
    folders = new TestFolders();
    ({ reader, log, changes } = readerOf(folders));
  });
  afterEach(async () => {
    await reader.close();
    folders.remove();
    assert.deepEqual(stillRunning(processesBelow(process.pid)).filter(isOurs), []);
  });

  const isOurs = ({ commandLine, pid }: KnownProcess): boolean =>
    pid !== process.pid && /scriptKeeper|companion\.mjs/.test(commandLine);

  async function problemOf(): Promise<SessionProblem | undefined> {
    await reader.refresh();
    assert.equal(reader.store.size, 0);
    return reader.store.problem;
  }

  it('finds what is only in the log of unwritten pages, and its sums', async () => {
    changeDatabase(folders, oneSession);
    await reader.refresh();
    const [session] = reader.store.sessions;
    assert.deepEqual(session, {
      id: id('ses', 1),
      parent: '',
      title: 'Plot the muons',
      directory: '/work',
      agent: 'build',
      model: 'site/big',
      cost: 0.25,
      tokens: 123,
      created: 1000,
      updated: 2000,
      archived: null,
      version: '1.18.33',
      sums: {
        id: id('ses', 1),
        messages: 2,
        isOpen: true,
        lastMessage: 1500,
        context: 0,
        files: [{ file: 'plot.py', additions: 4, deletions: 1 }],
        fileCount: 1,
        additions: 4,
        deletions: 1,
      },
    });
    assert.deepEqual(log, []);
  });

  it('finds it also where the shared memory file is missing, and leaves the folder as it was', async () => {
    changeDatabase(folders, oneSession);
    rmSync(join(dataOf(folders), 'opencode.db-shm'));
    const before = readdirSync(dataOf(folders));
    await reader.refresh();
    assert.equal(reader.store.sessions[0]?.title, 'Plot the muons');
    assert.deepEqual(readdirSync(dataOf(folders)), before);
  });

  it('reads a database whose log was merged and removed', async () => {
    changeDatabase(folders, `${oneSession} db.exec('PRAGMA wal_checkpoint(TRUNCATE)');`);
    rmSync(join(dataOf(folders), 'opencode.db-shm'));
    rmSync(join(dataOf(folders), 'opencode.db-wal'));
    await reader.refresh();
    assert.equal(reader.store.sessions[0]?.title, 'Plot the muons');
  });

  it('tells what has changed since, and what is gone, without a new sandbox', async () => {
    changeDatabase(folders, oneSession);
    await reader.refresh();
    changeDatabase(folders, `db.exec("UPDATE session SET title='Renamed'");`);
    await reader.refresh();
    assert.equal(reader.store.sessions[0]?.title, 'Renamed');
    assert.equal(reader.store.sessions[0].sums?.messages, 2);
    const keepers = processesBelow(process.pid).filter(({ commandLine }) =>
      commandLine.includes('scriptKeeper'),
    );
    assert.equal(keepers.length, 1);
    changeDatabase(folders, 'db.exec("DELETE FROM session")');
    await reader.refresh();
    assert.equal(reader.store.size, 0);
    assert.equal(reader.store.problem, undefined);
  });

  /** Three hundred sessions, the last one used last. */
  const many = `db.exec(schema);
    const row = (n, more) => insert('session', { id: id('ses', n), directory: '/w', title: 't' + n, time_created: 1, time_updated: n, ...more });
    for (let n = 1; n <= 300; n++) row(n, {});
    insert('message', { id: 'm1', session_id: id('ses', 299), time_created: 1, time_updated: 1, data: '{"role":"assistant","time":{}}' });`;

  it('tells of what has changed alone, and needs no newer time for it', async () => {
    changeDatabase(folders, many);
    await reader.refresh();
    const before = new Map(reader.store.sessions.map((session) => [session.id, session]));
    assert.equal(before.size, 300);
    changeDatabase(
      folders,
      `const set = (n, what) => db.exec("UPDATE session SET " + what + " WHERE id='" + id('ses', n) + "'");
      set(1, "title='renamed'"); set(2, 'time_archived=5'); set(3, 'cost=2'); set(299, 'tokens_input=7');
      db.exec("DELETE FROM session WHERE id='" + id('ses', 4) + "'");
      insert('session', { id: id('ses', 400), directory: '/w', title: 'early', time_created: 1, time_updated: 0 });
      db.exec("UPDATE message SET data='" + JSON.stringify({ role: 'assistant', time: { completed: 9 } }) + "'");`,
    );
    await reader.refresh();
    const { store } = reader;
    const changed = store.sessions.filter((session) => session !== before.get(session.id));
    assert.deepEqual(
      Object.fromEntries(
        changed.map(({ id: name, title, archived, cost, tokens }) => [
          Number(name.slice(4)),
          [title, archived, cost, tokens],
        ]),
      ),
      {
        1: ['renamed', null, 0, 0],
        2: ['t2', 5, 0, 0],
        3: ['t3', null, 2, 0],
        299: ['t299', null, 0, 7],
        400: ['early', null, 0, 0],
      },
    );
    assert.equal(before.get(id('ses', 299))?.sums?.isOpen, true);
    assert.equal(store.find(id('ses', 299))?.sums?.isOpen, false);
    assert.equal(store.size, 300);
    assert.equal(store.find(id('ses', 4)), undefined);
  });

  it('tells nothing again while nothing changes, and all when all does', async () => {
    changeDatabase(folders, many);
    await reader.refresh();
    const told = changes();
    await reader.refresh();
    assert.equal(changes(), told);
    changeDatabase(folders, `db.exec("UPDATE session SET title=title || '!'")`);
    await reader.refresh();
    assert.equal(reader.store.sessions.filter(({ title }) => title.endsWith('!')).length, 300);
  });

  it('sees what is written after the log was merged', async () => {
    changeDatabase(folders, oneSession);
    await reader.refresh();
    for (const [title, merge] of [
      ['merged', "db.exec('PRAGMA wal_checkpoint(TRUNCATE)')"],
      ['written', ''],
      ['merged again', "db.exec('PRAGMA wal_checkpoint(TRUNCATE)')"],
    ] as const) {
      changeDatabase(folders, `db.exec("UPDATE session SET title='${title}'"); ${merge}`);
      await reader.refresh();
      assert.equal(reader.store.sessions[0]?.title, title);
    }
  });

  it('sees it when another database takes the place of the one that it has open', async () => {
    changeDatabase(folders, many);
    await reader.refresh();
    for (const end of ['', '-wal', '-shm']) {
      renameSync(join(dataOf(folders), `opencode.db${end}`), join(dataOf(folders), `old.db${end}`));
    }
    changeDatabase(folders, oneSession);
    await reader.refresh();
    assert.deepEqual(
      reader.store.sessions.map(({ title }) => title),
      ['Plot the muons'],
    );
  });

  it('reads a transcript in parts', async () => {
    changeDatabase(folders, oneSession);
    const all = await reader.transcript({ session: id('ses', 1), before: '', limit: 10 });
    assert.deepEqual(
      all?.map(({ role, parts }) => [role, ...parts.map(({ text }) => text)]),
      [['user', 'plot it'], ['assistant']],
    );
    const last = await reader.transcript({ session: id('ses', 1), before: '', limit: 1 });
    assert.equal(last?.[0]?.role, 'assistant');
    const earlier = await reader.transcript({ session: id('ses', 1), before: last[0].id, limit: 1 });
    assert.equal(earlier?.[0]?.role, 'user');
  });

  it('says what it found instead of sessions', async () => {
    assert.equal(await problemOf(), 'none');
    makeData(folders);
    mkdirSync(join(dataOf(folders), 'storage/session/global'), { recursive: true });
    writeFileSync(join(dataOf(folders), `storage/session/global/${id('ses', 1)}.json`), '{}');
    assert.equal(await problemOf(), 'olderLayout');
    writeFileSync(
      join(dataOf(folders), 'opencode.db'),
      'no database at all, but longer than a header of one hundred bytes'.repeat(9),
    );
    assert.equal(await problemOf(), 'malformed');
    rmSync(join(dataOf(folders), 'opencode.db'));
    changeDatabase(folders, "db.exec('CREATE TABLE other(x)')");
    assert.equal(await problemOf(), 'unknownSchema');
  });

  /** As far as they matter here, the columns of opencode 2.0 (that version is not on npm's registry). */
  const tablesOf2 = `db.exec('CREATE TABLE session_v2(id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL, title text, version text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL)');
    db.exec('CREATE TABLE session_message(id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL, data text NOT NULL)');
    const second = (n) => insert('session_v2', { id: id('ses', n), project_id: 'p', directory: '/w', version: '2.0.25', time_created: 1, time_updated: 1 });`;

  it('counts the sessions that only opencode 2 has, not those that it has copied', async () => {
    changeDatabase(folders, `${oneSession} ${tablesOf2} second(1);`);
    await reader.refresh();
    assert.equal(reader.store.listed?.newer, 0);
    changeDatabase(folders, tablesOf2.split('\n').slice(2).join('\n') + 'second(2); second(3);');
    await reader.refresh();
    assert.equal(reader.store.listed?.newer, 2);
    assert.equal(reader.store.size, 1);
  });

  it('says so when opencode 2 alone has used the database', async () => {
    changeDatabase(folders, `${tablesOf2} second(1);`);
    assert.equal(await problemOf(), 'newerLayout');
  });

  it('needs no home that exists', async () => {
    rmSync(homeOf(folders), { recursive: true });
    mkdirSync(homeOf(folders));
    assert.equal(await problemOf(), 'none');
  });

  it('says so when the image has no opencode', async () => {
    await reader.close();
    ({ reader, log } = readerOf(folders, { image: shellImage() }));
    assert.equal(await problemOf(), 'noOpencode');
    assert.deepEqual(log, []);
  });

  it('leaves nothing when its keeper is killed', async () => {
    changeDatabase(folders, oneSession);
    await reader.refresh();
    const keeper = processesBelow(process.pid).find(({ commandLine }) =>
      commandLine.includes('scriptKeeper'),
    );
    assert.ok(keeper);
    const all = processesBelow(keeper.pid);
    assert.ok(all.length > 4);
    process.kill(keeper.pid, 'SIGKILL');
    await waitUntil('everything is gone', () => stillRunning(all).length === 0, 30_000);
    await waitUntil('it is noticed', () => reader.store.problem === 'lost');
    await reader.refresh();
    assert.equal(reader.store.size, 1);
  });
});
