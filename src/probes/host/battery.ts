import { chmodSync, existsSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from '../../host/procfs';
import { killProcess, type ProcessIdentity } from '../../host/processIdentity';
import { floodMark } from '../inside/flood';
import { judgeProbe, placesOf, type Judgement, type Probe } from '../probe';
import { probes } from '../probes';
import { hasSaid, readReports } from '../report';
import type { Seen } from '../seen';
import type { Canaries } from './canaries';
import { bytesRead, findInside, readKernelFacts, sandboxProcesses } from './kernelFacts';
import { findMarked } from './marks';
import type { RunningTarget, Target } from './target';
import { TerminalStream } from './terminalStream';
import { Victims } from './victims';

/** Longest waits: for a container from a cold disk, for all attempts, for a flood through a busy computer. */
const patience = { ready: 60_000, tried: 90_000, flood: 30_000 } as const;

/** Nothing of a sandbox may be there so long after its end. */
const goneMilliseconds = 1000;

/** Of what a probe says of itself; another program than ours may say much. */
const longestShown = 400;

/** Setuid and setgid of <sys/stat.h>. */
const setIdBits = 0o6000;

/** One probe with what came of it. */
export interface JudgedProbe {
  readonly probe: Probe;
  readonly judgement: Judgement;
  /** what the probe said of itself, which is no evidence; hostile */
  readonly said: string;
}

export interface BatteryOptions {
  readonly target: Target;
  readonly canaries: Canaries;
  readonly signal: AbortSignal;
  /** called with how much is done, from 0 to 1 */
  readonly onProgress?: (part: number) => void;
  /** told the path in /proc of the program that makes the attempts, which is the image's */
  readonly onProgram?: (path: string) => Promise<void>;
  /** told why something could not be looked at, which then counts as not held; for a log */
  readonly onProblem: (error: unknown) => void;
}

/**
 * Runs the battery once and judges it by what the host saw. Whatever happens, the sandbox is ended.
 * @throws Cancelled, and what the target throws when it can't be started
 */
export async function runBattery(options: BatteryOptions): Promise<JudgedProbe[]> {
  const seen = await observe(options);
  return probes.map((probe) => ({
    probe,
    judgement: judgeProbe(probe, seen),
    said: (seen.reports.get(probe.id)?.failure ?? seen.reports.get(probe.id)?.said ?? '').slice(
      0,
      longestShown,
    ),
  }));
}

async function observe(options: BatteryOptions): Promise<Seen> {
  const { target, canaries, signal, onProgress, onProblem } = options;
  const running = await target.start(canaries, signal);
  const { plan } = running;
  const processes: ProcessIdentity[] = [];
  try {
    const attempts = await watchAttempts(running, processes, options);
    const left = await countLeft(running, processes);
    const next = await target.startAgain?.(canaries, signal).catch(onProblem);
    onProgress?.(1);
    return {
      ...{ plan, target: target.name, network: running.network, runDirectory: running.runDirectory },
      ...attempts,
      secrets: canaries.secrets,
      arrivals: canaries.doors.arrivals,
      controlArrived: canaries.controlArrived,
      modelRequests: canaries.model.requests,
      signals: canaries.host.signals,
      messagesArrived: canaries.hasMessages,
      end: { left },
      next: next ?? undefined,
    };
  } finally {
    await running.stop().catch(() => undefined);
    processes.forEach(killProcess);
  }
}

type Attempts = Pick<
  Seen,
  | ('reports' | 'victims' | 'kernel' | 'marked' | 'stream' | 'isStreamWhole' | 'networkEntries')
  | ('hostIsTraced' | 'launcherHasSetId' | 'floodedUnits' | 'floodRead')
>;

/** @param processes is filled with everything that was seen in the sandbox */
async function watchAttempts(
  running: RunningTarget,
  processes: ProcessIdentity[],
  { target: { name }, canaries: { secrets, host }, signal, onProgress, onProgram }: BatteryOptions,
): Promise<Attempts> {
  const { plan, hostPids, runDirectory } = running;
  const stream = new TerminalStream(running, signal);
  await stream.until('the sandbox was there', patience.ready, (text) => hasSaid(text, plan.token, 'ready'));
  const inside = findInside(running.encodedPlan);
  const launcher = launcherMode(inside);
  const victims = noteVictims(running);
  if (inside !== undefined) await onProgram?.(`/proc/${inside}/exe`);
  running.send(`go ${plan.token}\n`);
  await stream.until('all was tried', patience.tried, (text) => {
    onProgress?.(Math.min(1, readReports(text, plan.token).size / probes.length));
    return hasSaid(text, plan.token, 'tried');
  });
  const places = probes.flatMap((probe) => [
    ...placesOf(probe, plan, runDirectory),
    ...(probe.marks?.(plan) ?? []).map(({ path }) => path),
  ]);
  const questions = { hostPids, token: plan.token, places, secrets, isTrusted: name !== 'ours' };
  const kernel = inside === undefined ? undefined : readKernelFacts(inside, questions);
  if (inside !== undefined) processes.push(...sandboxProcesses(inside));
  const { text, isWhole } = stream;
  const networkEntries = await running.networkEntries();
  return {
    ...{
      kernel,
      networkEntries,
      stream: text,
      isStreamWhole: isWhole,
      marked: await findMarked(plan, kernel),
    },
    reports: readReports(text, plan.token),
    victims: victims.compare(),
    hostIsTraced: host.isTraced,
    launcherHasSetId: launcher.takeBack(),
    ...(await flood(running, stream, signal)),
  };
}

function noteVictims({ plan, runDirectory }: RunningTarget): Victims {
  const victims = new Victims();
  for (const name of probes.flatMap(({ victims: pathsOf }) => pathsOf?.(plan) ?? [])) {
    if (name.startsWith('/')) victims.note(name, name);
    else if (runDirectory !== undefined) victims.note(name, `${runDirectory}/${name.replace(':', '/')}`);
  }
  return victims;
}

/** The mode of the program of the sandbox's first process: a probe tries to make it setuid. */
function launcherMode(inside: number | undefined): { takeBack(): boolean } {
  const programs = inside === undefined ? [] : sandboxProcesses(inside).map(({ pid }) => `/proc/${pid}/exe`);
  const before = programs.map((path) => ({ path, file: fileAt(path) }));
  return {
    takeBack: () =>
      before.filter(({ path, file }) => {
        const now = fileAt(path);
        // a process may have gone on to another program
        const isSame = file !== undefined && file.ino === now?.ino && file.dev === now.dev;
        const isChanged = isSame && (now.mode & setIdBits & ~file.mode) !== 0;
        if (isChanged) chmodSync(path, file.mode & 0o7777);
        return isChanged;
      }).length > 0,
  };
}

function fileAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** @returns what a window was sent that shows nothing meanwhile, and what was written; nothing when that did not end */
async function flood(
  running: RunningTarget,
  stream: TerminalStream,
  signal: AbortSignal,
): Promise<Pick<Seen, 'floodedUnits' | 'floodRead'>> {
  const none = { floodedUnits: undefined, floodRead: undefined };
  if (!running.holdBack) return none;
  const [holder = 0] = running.hostPids;
  const read = bytesRead(holder);
  const mark = floodMark(running.plan);
  const before = stream.units;
  const deadline = performance.now() + patience.flood;
  running.holdBack(true);
  running.send(`flood ${running.plan.token}\n`);
  while (!existsSync(mark)) {
    if (performance.now() > deadline || signal.aborted) return none;
    await delay(20);
  }
  running.holdBack(false);
  return { floodedUnits: stream.units - before, floodRead: bytesRead(holder) - read };
}

/** Ends the sandbox in the usual way. @returns how many of its processes are there a second later */
async function countLeft(running: RunningTarget, processes: readonly ProcessIdentity[]): Promise<number> {
  await running.stop();
  const left = (): number => processes.filter(({ pid, startTime }) => isRunning(pid, startTime)).length;
  const deadline = performance.now() + goneMilliseconds;
  while (left() > 0 && performance.now() < deadline) await delay(20);
  return left();
}

/** Hides a secret in the folder of the supervisor that no sandbox may see. */
export function hideInControl(runDirectory: string, canaries: Canaries): void {
  writeFileSync(`${runDirectory}/control/secret`, canaries.planted('control'), { mode: 0o600, flag: 'wx' });
}
