import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SessionProblem } from '../../src/opencode/sessions/sessionStore';
import type { SessionReader } from '../../src/launch/sessionReader';
import { processesBelow, stillRunning, type KnownProcess } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { TestFolders } from './support/sandboxUnderTest';
import { changeDatabase, dataOf, homeOf, id, makeData, readerOf } from './support/sessionHome';

const oneSession = `
db.exec(schema);
insert('session', { id: id('ses', 1), directory: '/work', title: 'Plot the muons', version: '1.18.33', cost: 0.25,
  tokens_input: 100, tokens_output: 20, tokens_reasoning: 3, tokens_cache_read: 0, agent: 'build',
  model: JSON.stringify({ id: 'big', providerID: 'site' }), time_created: 1000, time_updated: 2000 });
insert('message', { id: id('msg', 1), session_id: id('ses', 1), time_created: 1000, time_updated: 1000, data: JSON.stringify({
  role: 'user', summary: { diffs: [{ file: 'plot.py', additions: 4, deletions: 1 }] } }) });
insert('message', { id: id('msg', 2), session_id: id('ses', 1), time_created: 1500, time_updated: 1500, data: JSON.stringify({
  role: 'assistant', providerID: 'site', modelID: 'big', time: { created: 1500 } }) });
insert('part', { id: id('prt', 1), message_id: id('msg', 1), session_id: id('ses', 1), time_created: 1000, time_updated: 1000,
  data: JSON.stringify({ type: 'text', text: 'plot it' }) });
`;

describe('reading sessions', () => {
  let folders: TestFolders;
  let reader: SessionReader;
  let log: string[];
  beforeEach(() => {
    folders = new TestFolders();
    ({ reader, log } = readerOf(folders));
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

  it('counts the sessions of opencode 2', async () => {
    changeDatabase(
      folders,
      `${oneSession} db.exec('CREATE TABLE session_v2(id); INSERT INTO session_v2 VALUES(1),(2)');`,
    );
    await reader.refresh();
    assert.equal(reader.store.listed?.newer, 2);
    assert.equal(reader.store.size, 1);
  });

  it('reads nothing but ordinary files', async () => {
    const path = join(makeData(folders), 'opencode.db');
    execFileSync('/usr/bin/mkfifo', [path]);
    assert.equal(await problemOf(), 'notAFile');
    rmSync(path);
    symlinkSync('/etc/passwd', path);
    assert.equal(await problemOf(), 'notAFile');
    rmSync(path);
    changeDatabase(folders, oneSession);
    rmSync(`${path}-wal`);
    execFileSync('/usr/bin/mkfifo', [`${path}-wal`]);
    assert.equal(await problemOf(), 'notAFile');
  });

  it('shows a database of wrong types, cycles and endless texts as well as it can', async () => {
    changeDatabase(
      folders,
      `db.exec(schema);
      const row = (n, more) => insert('session', { id: id('ses', n), directory: '/w', title: 't' + n, time_created: 1, time_updated: n, ...more });
      row(1, { parent_id: id('ses', 2) });
      row(2, { parent_id: id('ses', 1) });
      row(3, { parent_id: id('ses', 3) });
      row(4, { title: 'x'.repeat(100e6) });
      row(5, { title: 42, time_updated: 'soon', cost: 'much', model: 'no json', time_created: 1e300 });
      row(6, { title: new Uint8Array([1, 2, 3]), cost: 1e308, tokens_input: -5 });
      row(7, { title: '\\u202egnp.exe \\u001b[31m [x](command:y)' });
      row(8, { model: '['.repeat(100000) });
      insert('session', { id: 'ses_$(id)', directory: '/w', title: 'odd id', time_updated: 9 });
      insert('message', { id: 'm1', session_id: id('ses', 8), time_created: 1, data: '{"summary":{"diffs":' + '['.repeat(5000) });
      insert('message', { id: 'm2', session_id: id('ses', 7), time_created: 1, data: JSON.stringify({ role: 'user', summary: { diffs: Array.from({ length: 9000 }, (_, n) => ({ file: 'f' + n, additions: 1e300, deletions: -1 })) } }) });`,
    );
    await reader.refresh();
    const titles = Object.fromEntries(
      reader.store.sessions.map((session) => [Number(session.id.slice(4)), session.title]),
    );
    assert.deepEqual(titles, {
      1: 't1',
      2: 't2',
      3: 't3',
      4: 'x'.repeat(300),
      5: '42',
      6: '',
      7: '\ufffdgnp.exe \ufffd[31m [x](command:y)',
      8: 't8',
    });
    assert.deepEqual(log, []);
    assert.equal(reader.store.find(id('ses', 7))?.sums?.files.length, 100);
  });

  it('runs nothing that the database brings along', async () => {
    changeDatabase(
      folders,
      `db.exec(schema.replace('CREATE TABLE session(', 'CREATE TABLE other('));
      db.exec("CREATE VIEW session AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT 'ses_0000000000' || x AS id, '' AS parent_id, 't' AS title, '/' AS directory, x AS time_updated FROM n");`,
    );
    assert.equal(await problemOf(), 'unknownSchema');
  });

  it('bears files that were cut off or belong to another database', async () => {
    changeDatabase(folders, oneSession);
    const wal = join(dataOf(folders), 'opencode.db-wal');
    copyFileSync(wal, join(folders.root, 'other-wal'));
    truncateSync(wal, 5000);
    await reader.refresh();
    assert.ok(reader.store.size === 0 || reader.store.size === 1);
    rmSync(dataOf(folders), { recursive: true });
    changeDatabase(folders, "db.exec(schema); db.exec('PRAGMA wal_checkpoint(TRUNCATE)')");
    copyFileSync(join(folders.root, 'other-wal'), wal);
    await reader.refresh();
    assert.ok(reader.store.size <= 1);
  });

  it('gives up what hangs, and can start anew', async () => {
    ({ reader, log } = readerOf(folders, { silenceMilliseconds: 8000 }));
    changeDatabase(folders, oneSession);
    await reader.refresh();
    const [script] = processesBelow(process.pid).filter(({ commandLine }) =>
      commandLine.startsWith('opencode '),
    );
    assert.ok(script);
    process.kill(script.pid, 'SIGSTOP');
    await reader.refresh();
    assert.equal(reader.store.problem, 'tooSlow');
    await waitUntil('it is gone', () => stillRunning([script]).length === 0, 30_000);
    await reader.refresh();
    assert.equal(reader.store.size, 1);
  });

  it('needs no home that exists', async () => {
    rmSync(homeOf(folders), { recursive: true });
    mkdirSync(homeOf(folders));
    assert.equal(await problemOf(), 'none');
  });
});
