import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionProblem } from '../../src/opencode/sessions/sessionStore';
import type { SessionReader } from '../../src/launch/sessionReader';
import { processesBelow, stillRunning, type KnownProcess } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { damagePlaces } from './support/hostileBytes';
import { TestFolders } from './support/sandboxUnderTest';
import { changeDatabase, dataOf, id, makeData, readerOf, oneSession } from './support/sessionHome';

describe('reading what an agent has made of its sessions', () => {
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

  // a thousand of them are in test/soak
  it('bears random bytes and early ends in 10 places', async function () {
    this.timeout(300_000);
    const outcomes = await damagePlaces(10, 20261201);
    assert.deepEqual(
      ['read', 'malformed', 'repaired'].filter((outcome) => !outcomes.has(outcome)),
      [],
      JSON.stringify([...outcomes]),
    );
  });
});
