import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { startDemoModel, type DemoModel } from '../../../scripts/demoModel/server';
import { sweepDeadEntries } from '../../../src/host/abandoned';
import { isRunning, processStat } from '../../../src/host/procfs';
import { connectSandbox } from '../../../src/launch/connect';
import { openHome } from '../../../src/launch/homeOpening';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { configureModel } from '../../support/agentWorkspace';
import { waitUntil } from '../../support/waitUntil';
import { openingOptions } from './keptHome';
import { keptTask, manyWrites, sessionsOf } from './manyWrites';
import { generator, pick } from './random';
import { type Part, pidOf } from './runningSandbox';
import { TestFolders } from './sandboxUnderTest';

type Victim = Part | 'extensionHost';

const victims: readonly (readonly Victim[])[] = [
  ['extensionHost'],
  ['supervisor'],
  ['init'],
  ['program'],
  ['starter'],
  ['companion'],
  ['supervisor', 'reaper'],
  ['extensionHost', 'supervisor'],
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
  readonly parts: readonly Victim[];
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
  const { host, supervisorPid, runDirectory } = await startByHost(task);
  const startTime = processStat(supervisorPid)?.startTime ?? '';
  await waitUntil('opencode has written so much', () => lastTurn() >= turns, 60_000);
  await delay(pause);
  let told = lastTurn();
  const pids = parts.map((part) => (part === 'extensionHost' ? host.pid : pidOf(part, supervisorPid)));
  assert.ok(
    pids.every((pid) => pid !== undefined),
    'all that are to be killed are there',
  );
  pids.forEach((pid) => process.kill(Number(pid), 'SIGKILL'));
  const isAlive = parts.every((part) => part === 'extensionHost');
  if (isAlive) {
    // nobody is attached, and opencode goes on until another window comes
    await waitUntil('opencode goes on', () => lastTurn() > told, 60_000);
    told = lastTurn();
    const connection = await connectSandbox(join(runDirectory, 'control/supervisor.sock'));
    await connection.stop();
    connection.dispose();
  }
  await waitUntil('the supervisor ends', () => !isRunning(supervisorPid, startTime), 10_000);
  await waitUntil(
    'it is swept',
    async () => {
      await sweepDeadEntries(folders.index);
      return readdirSync(folders.index).length === 0;
    },
    10_000,
  );
  host.kill('SIGKILL');
  const options = openingOptions();
  assert.deepEqual(await openHome(await keptTask(folders, 'next'), options), []);
  // what was stopped may have ended well
  if (!isAlive) assert.match(options.told.join(), /had no time to close/);
  const sessions = await sessionsOf(folders);
  const present = new Map(sessions.map(({ id, sums }) => [id, sums?.messages ?? 0]));
  for (const [id, messages] of committed) assert.equal(present.get(id), messages, `messages of ${id}`);
  const [id, ...others] = [...present.keys()].filter((session) => !before.has(session));
  assert.ok(id !== undefined && others.length === 0, 'one session more');
  // the prompt, and each answer that the model was told of again
  assert.ok((present.get(id) ?? 0) >= told + 1, `${present.get(id)} messages, the model knew of ${told + 1}`);
  committed.set(id, present.get(id) ?? 0);
}

/** Starts a sandbox from a process that stands for the extension host. */
async function startByHost(specification: SandboxSpecification): Promise<{
  readonly host: ChildProcess;
  readonly supervisorPid: number;
  readonly runDirectory: string;
}> {
  const host = spawn(process.execPath, [join(__dirname, 'extensionHost.js')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  host.stdin.end(JSON.stringify(specification));
  const lines = createInterface({ input: host.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string | undefined];
  assert(line !== undefined, 'the sandbox was started');
  const started = JSON.parse(line) as { supervisorPid: number; runDirectory: string };
  return { host, ...started };
}
