import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findLeftovers } from '../../../scripts/test/leftovers';
import { sweepDeadEntries } from '../../../src/host/abandoned';
import { childProcesses, isRunning, processStat, readProc } from '../../../src/host/procfs';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { apptainer, image } from '../../support/environment';
import { ownProcesses } from '../../support/processes';
import { waitUntil } from '../../support/waitUntil';
import { generator, pick } from './random';
import { type Part, pidOf } from './runningSandbox';
import { identified, specify, startSandbox, TestFolders } from './sandboxUnderTest';

/** A sandbox takes half a second to its running state on a busy machine; opencode another one. */
const latestMomentMilliseconds = 1500;
/** What a sandbox that lost a part takes to end by itself: the next verdict, and its end. */
const boundMilliseconds = 4000;

const parts: readonly Part[] = [
  'supervisor',
  'reaper',
  'starter',
  'init',
  'imageServer',
  'companion',
  'program',
];

/** What one round does. */
interface Round {
  readonly kind: SandboxSpecification['kind'];
  readonly moment: number;
  readonly victims: readonly Part[];
  readonly signal: 'SIGKILL' | 'SIGSTOP';
}

/**
 * Starts sandboxes and kills or freezes random parts of each at a random moment, from before there is anything but
 * the supervisor's process. After each round nothing may be left: no process, no run directory, no entry.
 *
 * @param seed the same seed gives the same rounds, if not the same timing
 */
export async function runKillRounds(count: number, seed: number): Promise<void> {
  const random = generator(seed);
  const folders = new TestFolders();
  const runParent = mkdtempSync('/tmp/soak-');
  try {
    for (let index = 0; index < count; index += 1) {
      const round = randomRound(random);
      const context = `round ${index} of seed ${seed}: ${JSON.stringify(round)}`;
      try {
        await runRound(round, folders, runParent);
      } catch (error) {
        throw new Error(context, { cause: error });
      }
    }
  } finally {
    rmSync(runParent, { recursive: true, force: true });
    folders.remove();
  }
}

async function runRound(round: Round, folders: TestFolders, runParent: string): Promise<void> {
  const before = ownProcesses();
  const isAgent = round.kind === 'agent';
  const starting = startSandbox(
    specify(folders, {
      kind: round.kind,
      runDirectoryParents: [runParent],
      ...(isAgent && { image: identified(image()) }),
    }),
  );
  // what is killed before it is ready is an expected failure
  starting.catch(() => undefined);
  await delay(round.moment);
  const supervisor = findSupervisor();
  assert(supervisor, 'there is a supervisor');
  const supervisorStart = processStat(supervisor)?.startTime ?? '';
  const pids = round.victims.map((part) => pidOf(part, supervisor)).filter((pid) => pid !== undefined);
  for (const pid of pids) {
    tryKill(pid, round.signal);
  }
  const started = await starting.catch(() => undefined);
  if (started && isRunning(supervisor, supervisorStart)) {
    await started.connection.stop().catch(() => undefined);
  }
  await waitUntil('the supervisor ends', () => !isRunning(supervisor, supervisorStart), boundMilliseconds);
  started?.connection.dispose();
  const installation = dirname(dirname(apptainer()));
  const marks = [folders.root, installation, resolve(__dirname, '../../../../dist')];
  const left = async () => [
    ...(await findLeftovers(before, marks)).map(({ pid, commandLine }) => `${pid} ${commandLine}`),
    ...readdirSync(runParent),
    ...readdirSync(folders.index),
  ];
  if ((await left()).length > 0) {
    await sweepDeadEntries(folders.index);
  }
  assert.deepEqual(await left(), []);
}

function randomRound(random: () => number): Round {
  const kind = random() < 0.25 ? 'agent' : 'shell';
  const moment = Math.floor(random() ** 2 * latestMomentMilliseconds);
  const first = pick(random, parts);
  // what outlives both the supervisor and its reaper is for the sweep
  const others = pick<readonly Part[]>(random, [[], [], ['supervisor'], ['supervisor', 'reaper']]);
  const victims = [...new Set([...others, first])];
  // a frozen supervisor answers nobody, and a frozen Apptainer is ended by its supervisor like any other
  const canFreeze = !victims.includes('supervisor');
  return { kind, moment, victims, signal: canFreeze && random() < 0.3 ? 'SIGSTOP' : 'SIGKILL' };
}

/** The supervisor that this process has started, and that has not ended. */
function findSupervisor(): number | undefined {
  return childProcesses(process.pid).find(
    (pid) => readProc(`${pid}/cmdline`)?.includes('dist/supervisor.js') && processStat(pid)?.state !== 'Z',
  );
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // its end came first
  }
}
