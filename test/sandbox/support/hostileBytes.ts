import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteHomeUse, ownHomeUse } from '../../../src/host/homeFolder';
import { DamagedHome, openHome } from '../../../src/launch/homeOpening';
import { remedyHome } from '../../../src/launch/homeRemedies';
import type { SessionReader } from '../../../src/launch/sessionReader';
import { UserError } from '../../../src/sandbox/userError';
import { keptAgent, openingOptions } from './keptHome';
import { generator } from './random';
import { TestFolders } from './sandboxUnderTest';
import { changeDatabase, dataOf, oneSession, readerOf } from './sessionHome';

/** Sixty sessions with a message each; the last ones are in the log alone. */
const contents = `${oneSession}
const add = (n) => {
  insert('session', { id: id('ses', n), directory: '/w', title: 'x'.repeat(n * 100), time_created: n, time_updated: n });
  insert('message', { id: id('msg', n), session_id: id('ses', n), time_created: n, time_updated: n,
    data: JSON.stringify({ role: 'assistant', time: { created: n, completed: n }, text: 'y'.repeat(n * 50) }) });
};
for (let n = 3; n < 50; n++) add(n);
db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
for (let n = 50; n < 60; n++) add(n);
`;

const files = ['opencode.db', 'opencode.db-wal', 'opencode.db-shm'] as const;
type DatabaseFile = (typeof files)[number];

/** What a reader may say of such a database; never that it was ended, nor that it ended itself. */
const allowed = ['read', 'malformed', 'unreadable', 'unknownSchema', 'none', 'busy'];

/** Every so many, and all that the reader calls malformed, are also opened as before a start, and repaired. */
const opensEvery = 10;

/** One place of a database's files. */
interface Place {
  readonly file: DatabaseFile;
  readonly offset: number;
  /** undefined: the file ends there */
  readonly bytes?: Buffer;
}

/**
 * Breaks opencode's database at one place after another: random bytes in the file, its log or its shared memory, or an
 * end in the middle. Each is read by one resident reader, some are opened as before a start and repaired: nothing may
 * crash or hang, and the damaged files must be kept.
 * @param seed the same seed gives the same places
 * @returns how often each outcome was seen
 */
export async function damagePlaces(count: number, seed: number): Promise<ReadonlyMap<string, number>> {
  const random = generator(seed);
  const folders = new TestFolders();
  const { reader, log } = readerOf(folders);
  const outcomes = new Map<string, number>();
  const note = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  try {
    changeDatabase(folders, contents);
    const intact = new Map(files.map((file) => [file, readFileSync(join(dataOf(folders), file))]));
    for (let round = 0; round < count; round += 1) {
      const place = pickPlace(random, intact);
      try {
        damage(folders, intact, place);
        const outcome = await read(reader);
        note(outcome);
        assert.deepEqual(log, []);
        if (round % opensEvery === 0 || outcome === 'malformed') note(await openAndRepair(folders));
      } catch (error) {
        const what = `${place.file} at ${place.offset}, ${place.bytes?.toString('hex') ?? 'cut off'}`;
        throw new Error(`round ${round} of seed ${seed}: ${what}`, { cause: error });
      }
    }
    return outcomes;
  } finally {
    await reader.close();
    folders.remove();
  }
}

function pickPlace(random: () => number, intact: ReadonlyMap<DatabaseFile, Buffer>): Place {
  const chance = random();
  const file = files[chance < 0.6 ? 0 : chance < 0.9 ? 1 : 2] ?? 'opencode.db';
  // the header and the pages with the schema are a small part of the file, and the most interesting one
  const within = random() < 0.3 ? 4096 : (intact.get(file)?.length ?? 0);
  const offset = Math.floor(random() * within);
  if (random() < 0.25) return { file, offset };
  const length = 1 + Math.floor(random() * 64);
  return { file, offset, bytes: Buffer.from(Array.from({ length }, () => Math.floor(random() * 256))) };
}

function damage(
  folders: TestFolders,
  intact: ReadonlyMap<DatabaseFile, Buffer>,
  { file, offset, bytes }: Place,
): void {
  for (const [name, content] of intact) {
    const broken = Buffer.from(content);
    if (name === file) bytes?.copy(broken, offset);
    const path = join(dataOf(folders), name);
    // what was mapped stays what it was
    rmSync(path, { force: true });
    writeFileSync(path, name === file && bytes === undefined ? broken.subarray(0, offset) : broken);
  }
}

async function read(reader: SessionReader): Promise<string> {
  await reader.refresh();
  const outcome = reader.store.problem ?? 'read';
  assert.ok(allowed.includes(outcome), outcome);
  return outcome;
}

/** As before a start, after an end that was not a good one. */
async function openAndRepair(folders: TestFolders): Promise<string> {
  const specification = await keptAgent(folders);
  const { pid } = spawnSync('/bin/true');
  await noteHomeUse(specification.homeFolder, {
    ...(await ownHomeUse(specification.id)),
    pid,
    startTime: '1',
  });
  const options = openingOptions();
  try {
    await openHome(specification, options);
    return 'opened';
  } catch (error) {
    if (!(error instanceof DamagedHome)) throw error;
  }
  const before = readFileSync(join(dataOf(folders), 'opencode.db'));
  try {
    await remedyHome(specification, { kind: 'repair' }, options);
  } catch (error) {
    assert.ok(error instanceof UserError && error.code === 'home.notKept', String(error));
    assert.ok(readFileSync(join(dataOf(folders), 'opencode.db')).equals(before), 'nothing was changed');
    return 'not repaired';
  }
  const aside = join(dataOf(folders), 'damaged');
  const [last] = readdirSync(aside).sort().reverse();
  assert.ok(readFileSync(join(aside, last ?? '', 'opencode.db')).equals(before), 'it was moved aside');
  assert.deepEqual(await openHome(specification, options), []);
  return 'repaired';
}
