import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startDemoModel, type DemoModel } from '../../../scripts/demoModel/server';
import { sweepDeadEntries } from '../../../src/host/abandoned';
import { isRunning, processStat } from '../../../src/host/procfs';
import { openHome } from '../../../src/launch/homeOpening';
import { configureModel } from '../../support/agentWorkspace';
import { waitUntil } from '../../support/waitUntil';
import { openingOptions } from './keptHome';
import { keptTask, manyWrites, sessionsOf } from './manyWrites';
import { generator, pick } from './random';
import { type Part, pidOf } from './runningSandbox';
import { startSandbox, TestFolders } from './sandboxUnderTest';

const victims: readonly (readonly Part[])[] = [
  ['supervisor'],
  ['init'],
  ['program'],
  ['starter'],
  ['companion'],
  ['supervisor', 'reaper'],
];

/** opencode writes a message, asks the model, writes the answer and its parts: half a second in all. */
const longestPause = 500;
const mostTurns = 8;

/**
 * Kills a part of a sandbox at a random moment while opencode writes, again and again with the same home. What
 * opencode had told the model it had committed: after each round that must be there, with everything of the rounds
 * before, and SQLite must find nothing wrong.
 *
 * @param seed the same seed gives the same rounds, if not the same timing
 */
export async function killHomes(count: number, seed: number): Promise<void> {
  const random = generator(seed);
  const folders = new TestFolders();
  const model = await startDemoModel({ scenario: manyWrites(1000) });
  const committed = new Map<string, number>();
  try {
    configureModel(folders.workspace, model.baseUrl);
    for (let round = 0; round < count; round += 1) {
      const parts = pick(random, victims);
      const turns = Math.floor(random() * mostTurns);
      const pause = Math.floor(random() * longestPause);
      try {
        await runRound(folders, model, committed, { name: `k${round}`, parts, turns, pause });
      } catch (error) {
        throw new Error(`round ${round} of seed ${seed}: ${parts.join()} at ${turns}, ${pause} ms`, {
          cause: error,
        });
      }
    }
  } finally {
    await model.close();
    folders.remove();
  }
}

interface Round {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly turns: number;
  readonly pause: number;
}

async function runRound(
  folders: TestFolders,
  model: DemoModel,
  committed: Map<string, number>,
  { name, parts, turns, pause }: Round,
): Promise<void> {
  const task = await keptTask(folders, `write ${name}`);
  const before = new Set(committed.keys());
  const lastTurn = (): number =>
    Math.max(
      -1,
      ...model.requests
        .filter(({ user, rule }) => rule !== 'title' && user === `write ${name}`)
        .map(({ turn }) => turn ?? -1),
    );
  const { connection, supervisorPid } = await startSandbox(task);
  const startTime = processStat(supervisorPid)?.startTime ?? '';
  await waitUntil('opencode has written so much', () => lastTurn() >= turns, 60_000);
  await delay(pause);
  const told = lastTurn();
  const pids = parts.map((part) => pidOf(part, supervisorPid)).filter((pid) => pid !== undefined);
  assert.ok(pids.length > 0);
  pids.forEach((pid) => process.kill(pid, 'SIGKILL'));
  await waitUntil('the supervisor ends', () => !isRunning(supervisorPid, startTime), 10_000);
  await waitUntil(
    'it is swept',
    async () => {
      await sweepDeadEntries(folders.index);
      return readdirSync(folders.index).length === 0;
    },
    10_000,
  );
  connection.dispose();
  const options = openingOptions();
  assert.deepEqual(await openHome(await keptTask(folders, 'next'), options), []);
  assert.match(options.told.join(), /not ended well/);
  const sessions = await sessionsOf(folders);
  const present = new Map(sessions.map(({ id, sums }) => [id, sums?.messages ?? 0]));
  for (const [id, messages] of committed) assert.equal(present.get(id), messages, `messages of ${id}`);
  const [id, ...others] = [...present.keys()].filter((session) => !before.has(session));
  assert.ok(id !== undefined && others.length === 0, 'one session more');
  // the prompt, and each answer that the model was told of again
  assert.ok((present.get(id) ?? 0) >= told + 1, `${present.get(id)} messages, the model knew of ${told + 1}`);
  committed.set(id, present.get(id) ?? 0);
}
