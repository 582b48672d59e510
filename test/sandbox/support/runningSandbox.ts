import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { childProcesses, processName, processTree, readProc } from '../../../src/host/procfs';
import type { SandboxConnection } from '../../../src/launch/connection';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { processesBelow, stillRunning, type KnownProcess } from '../../support/processes';
import { waitUntil } from '../../support/waitUntil';
import { specify, startSandbox, type TestFolders } from './sandboxUnderTest';

/** A part of a sandbox that can be killed or stopped by itself. */
export type Part = 'supervisor' | 'reaper' | 'starter' | 'init' | 'imageServer' | 'companion' | 'program';

/** A sandbox that runs, with what a test needs to see it end. */
export interface RunningSandbox {
  readonly connection: SandboxConnection;
  readonly processes: readonly KnownProcess[];
  readonly supervisorPid: number;
  readonly runDirectory: string;
}

/** Starts a sandbox and waits until all its processes are there. */
export async function startRunning(
  folders: TestFolders,
  changes: Partial<SandboxSpecification> = {},
  nodePath?: string,
): Promise<RunningSandbox> {
  const started = await startSandbox(specify(folders, changes), process.env, nodePath);
  await waitUntil(
    'the sandbox runs',
    () => started.connection.status.phase === 'running',
    30_000,
    () => JSON.stringify(started.connection.status),
  );
  const isAgent = (changes.kind ?? 'shell') !== 'shell';
  const processes = await waitUntil('all its processes are there', () => {
    const all = processesBelow(started.supervisorPid);
    return all.length >= 6 && (!isAgent || pidOf('program', started.supervisorPid)) ? all : undefined;
  });
  return { ...started, processes };
}

/** The pid of a part, found by what it is, not by what the supervisor says. `undefined` when there is none. */
export function pidOf(part: Part, supervisor: number): number | undefined {
  const below = childProcesses(supervisor);
  const starter = below.find((pid) => processName(pid) === 'starter');
  const init = childProcesses(starter ?? 0).find((pid) => processName(pid) === 'appinit');
  const inside = processTree(init ?? 0).slice(1);
  const companion = inside.find((pid) => readProc(`${pid}/cmdline`)?.includes('companion.mjs'));
  switch (part) {
    case 'supervisor':
      return supervisor;
    case 'reaper':
      return below.find((pid) => readProc(`${pid}/cmdline`)?.includes('sandboxed-agent-reaper'));
    case 'starter':
      return starter;
    case 'init':
      return init;
    case 'imageServer':
      return childProcesses(starter ?? 0).find((pid) => processName(pid)?.startsWith('squashfuse'));
    case 'companion':
      return companion;
    case 'program':
      return companion === undefined ? inside[0] : childProcesses(companion)[0];
  }
}

/** Sends a signal to parts of a sandbox, all in one go. */
export function signal(
  { supervisorPid }: RunningSandbox,
  parts: readonly Part[],
  name: NodeJS.Signals,
): void {
  const pids = parts.map((part) => {
    const pid = pidOf(part, supervisorPid);
    assert(pid !== undefined, `the ${part} is there`);
    return pid;
  });
  if (name === 'SIGKILL') {
    // else the first one's end would be noticed by the next
    pids.forEach((pid) => process.kill(pid, 'SIGSTOP'));
  }
  pids.forEach((pid) => process.kill(pid, name));
}

/** What is left of a sandbox and of the index, for people. */
export function leftOf(
  { processes, runDirectory }: Pick<RunningSandbox, 'processes' | 'runDirectory'>,
  folders: TestFolders,
): string[] {
  return [
    ...stillRunning(processes).map(({ pid, commandLine }) => `${pid} ${commandLine}`),
    ...(existsSync(runDirectory) ? [runDirectory] : []),
    ...readdirSync(folders.index),
  ];
}

/** Waits until nothing of a sandbox is left, which must be within `bound` milliseconds since `since`. */
export async function assertGone(
  sandbox: Pick<RunningSandbox, 'processes' | 'runDirectory'>,
  folders: TestFolders,
  since: number,
  bound: number,
): Promise<void> {
  await waitUntil(
    'nothing is left',
    () => leftOf(sandbox, folders).length === 0,
    30_000,
    () => leftOf(sandbox, folders).join('\n'),
  );
  const taken = Date.now() - since;
  assert.ok(taken < bound, `gone after ${taken} ms`);
}
