import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionReader } from '../../../src/launch/sessionReader';
import { SessionWatch } from '../../../src/launch/sessionWatch';
import {
  changeDatabase,
  changeDatabaseMeanwhile,
  dataOf,
  homeOf,
  id,
  readerOf,
} from '../../sandbox/support/sessionHome';
import { TestFolders } from '../../sandbox/support/sandboxUnderTest';
import { waitUntil } from '../../support/waitUntil';
import type { Bench, Figure } from '../bench';
import { getTestParts } from '../parts';
import { atMost } from './atMost';
import { measureView } from './viewBench';

const sessions = 10_000;
const longMessages = 5000;
/** The one whose transcript is long. */
const longSession = id('ses', sessions);

/** What gives that session the title that a variable has. */
const rename = `db.exec("UPDATE session SET title='" + title + "', time_updated=time_updated+1 WHERE id='" + id('ses', ${sessions}) + "'");`;

/** Ten thousand sessions of six messages each, and one of five thousand, with outputs of two kilobytes. */
const fill = `
db.exec(schema);
const filler = 'muon histogram branch uproot '.repeat(70);
const now = Date.now();
db.exec('BEGIN');
let number = 0;
for (let session = 1; session <= ${sessions}; session++) {
  const time = now - (${sessions} - session) * 3600e3;
  insert('session', { id: id('ses', session), directory: '/work', title: 'Session ' + session, version: '1.18.33', cost: 0.02,
    tokens_input: 9000, agent: 'build', model: '{"id":"big","providerID":"site"}', time_created: time, time_updated: time });
  const messages = session === ${sessions} ? ${longMessages} : 6;
  for (let message = 0; message < messages; message++) {
    number += 1;
    const data = message % 2 === 0
      ? { role: 'user', summary: { diffs: [{ file: 'plot' + message + '.py', patch: filler.slice(0, 600), additions: 3, deletions: 1 }] } }
      : { role: 'assistant', providerID: 'site', modelID: 'big', time: { created: time, completed: time + 9 } };
    insert('message', { id: id('msg', number), session_id: id('ses', session), time_created: time + message, time_updated: time, data: JSON.stringify(data) });
    insert('part', { id: id('prt', number), message_id: id('msg', number), session_id: id('ses', session), time_created: time, time_updated: time,
      data: JSON.stringify(message % 2 === 0 ? { type: 'text', text: 'please' } : { type: 'tool', tool: 'bash', state: { status: 'completed', input: { command: 'ls' }, output: filler } }) });
  }
}
db.exec('COMMIT');
db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
`;

type Reading = ReturnType<typeof readerOf>;

/** Milliseconds until it is reached, while the work is done. */
async function until(isReached: () => boolean, work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  let reached: number | undefined;
  const timer = setInterval(() => {
    if (isReached()) reached ??= performance.now() - started;
  }, 1);
  await work;
  clearInterval(timer);
  if (!isReached()) throw new Error('the sessions were not read as they should be');
  return reached ?? performance.now() - started;
}

/** Reads ten thousand sessions as the view does, in the real sandbox, and then in the view itself. */
export const sessionsBench: Bench = {
  async *run(): AsyncGenerator<Figure> {
    await getTestParts('vscodeServer');
    const folders = new TestFolders();
    const reading = readerOf(folders);
    const { reader, log } = reading;
    try {
      changeDatabase(folders, fill);
      yield* measure(folders, reading);
      await reader.close();
      yield* measureView(folders, {
        ...{ title: 'changed', text: 'please', rename },
        before: `Session ${sessions - 1}`,
      });
    } catch (error) {
      throw new Error(`${String(error)}\n${log.join('\n')}`, { cause: error });
    } finally {
      await reader.close();
      folders.remove();
    }
  },
};

async function* measure(folders: TestFolders, { reader, changes }: Reading): AsyncGenerator<Figure> {
  const started = performance.now();
  let complete = 0;
  const reading = reader.refresh().then(() => (complete = performance.now() - started));
  const isThere = (): boolean => reader.store.size >= 100;
  yield atMost('first 100 of 10,000 sessions, sandbox started', 'ms', await until(isThere, reading), 1500);
  yield atMost('all of them with their sums', 'ms', complete);
  await reader.close();
  // what the last reader told is shown meanwhile; this is when the next one has told the first rows
  const before = changes();
  const isTold = (): boolean => changes() > before;
  yield atMost('first 100, sandbox started once more', 'ms', await until(isTold, reader.refresh()), 500);
  yield atMost('a change, from its writing on', 'ms', await timeOfChange(folders, reader), 300);
  const asked = performance.now();
  const part = await reader.transcript({ session: longSession, before: '', limit: 200 });
  if (part?.length !== 200) throw new Error('the transcript was not read');
  yield atMost('the end of a transcript of 5,000 messages', 'ms', performance.now() - asked, 1000);
}

/** With the resident reader, as the view follows a home: by its watch. */
async function timeOfChange(folders: TestFolders, reader: SessionReader): Promise<number> {
  let shown = 0;
  const look = setInterval(() => {
    if (reader.store.find(longSession)?.title === 'changed') shown ||= Date.now();
  }, 1);
  const watch = new SessionWatch(homeOf(folders), () => void reader.refresh());
  try {
    await waitUntil('the state before is known', () => watch.hasLooked);
    await changeDatabaseMeanwhile(folders, `{ const title = 'changed'; ${rename} }`);
    await waitUntil('the change is shown', () => shown > 0);
    // nothing is written after the commit: the writer is killed
    return shown - statSync(join(dataOf(folders), 'opencode.db-wal')).mtimeMs;
  } finally {
    watch.dispose();
    clearInterval(look);
  }
}
