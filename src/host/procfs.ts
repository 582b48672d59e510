import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Readers of /proc. They are synchronous because one verdict must be read without the event loop in between, and
 * they return `undefined` for what is gone or may not be read: processes end at any time.
 */

/** The text of a file below /proc. */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return undefined;
  }
}

/** What a symbolic link below /proc points to, for example `ns/net` or `fd/3`. */
export function readProcLink(path: string): string | undefined {
  try {
    return readlinkSync(`/proc/${path}`);
  } catch {
    return undefined;
  }
}

/** The names in a folder below /proc. */
export function listProc(path: string): string[] | undefined {
  try {
    return readdirSync(`/proc/${path}`);
  } catch {
    return undefined;
  }
}

export interface ProcessStat {
  /** one letter, proc_pid_stat(5): R, S, D, T, Z … */
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  /** it has begun to end: none of its program runs any more, and what it had is being taken away */
  readonly isEnding: boolean;
  /** field 22: clock ticks after boot, tells a reused pid */
  readonly startTime: string;
}

/** A zombie, and one that is being removed (proc_pid_stat(5)). */
const endedStates = ['Z', 'X'];

/** PF_EXITING of the kernel's include/linux/sched.h, in field 9: set before anything is taken from a thread that ends. */
const exiting = 0x4;

/**
 * The fields of /proc/PID/stat that we need. The name in field 2 may hold spaces and parentheses.
 * @param process pid, or `PID/task/TID`
 */
export function processStat(process: number | string): ProcessStat | undefined {
  const text = readProc(`${process}/stat`);
  const [state, parent, , session, ...rest] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const isEnding = endedStates.includes(state ?? '') || (Number(rest[2]) & exiting) !== 0;
  const startTime = rest[15];
  return state !== undefined && startTime !== undefined
    ? { state, parent: Number(parent), session: Number(session), isEnding, startTime }
    : undefined;
}

/** The name of a process's program, at most 15 bytes (TASK_COMM_LEN); a process can change its own. */
export function processName(pid: number): string | undefined {
  return readProc(`${pid}/comm`)?.trimEnd();
}

/**
 * The lines of /proc/PID/status by their names, for example `NoNewPrivs` → `1`. The kernel escapes the line breaks that
 * a program puts into its name; the last line of a name counts.
 * @param process pid, or `PID/task/TID`
 */
export function processStatus(
  process: number | string,
): { readonly get: (name: string) => string | undefined } | undefined {
  const text = readProc(`${process}/status`);
  if (text === undefined) return undefined;
  const lines = `\n${text}`;
  return {
    // of sixty lines a verdict needs eight
    get: (name) => {
      const at = lines.lastIndexOf(`\n${name}:`);
      const begin = at + name.length + 2;
      return at < 0 ? undefined : lines.slice(begin, lines.indexOf('\n', begin)).trim();
    },
  };
}

/** The children of a process, of all its threads. Empty when it has ended. */
export function childProcesses(pid: number): number[] {
  return (listProc(`${pid}/task`) ?? []).flatMap((thread) =>
    (readProc(`${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  );
}

/** A process and all below it, parents first. */
export function processTree(root: number): number[] {
  return boundedProcessTree(root, Infinity).pids;
}

/**
 * The same in bounded time.
 *
 * @param mostThreads when all the processes together have more threads than that, the rest is left out
 */
export function boundedProcessTree(
  root: number,
  mostThreads: number,
): { readonly pids: number[]; readonly isComplete: boolean } {
  const pids = [root];
  let threads = 0;
  for (const pid of pids) {
    threads += (listProc(`${pid}/task`) ?? []).length;
    if (threads + pids.length > mostThreads) {
      return { pids, isComplete: false };
    }
    for (const child of childProcesses(pid)) {
      pids.push(child);
    }
  }
  return { pids, isComplete: true };
}

/** Whether the process that had this start time still runs. A zombie has ended. */
export function isRunning(pid: number, startTime: string): boolean {
  const stat = processStat(pid);
  return stat?.startTime === startTime && !endedStates.includes(stat.state);
}

/** Whether that process runs and has not begun to end: then all that was read of it before was whole. */
export function isWhole(pid: number, startTime: string): boolean {
  const stat = processStat(pid);
  return stat?.startTime === startTime && !stat.isEnding;
}

/**
 * When a process started, in milliseconds since the epoch.
 * @param startTime field 22 of its stat. The kernel counts it for programs in hundredths of a second (USER_HZ) on
 *   every architecture on which Apptainer runs.
 */
export function startTimeMilliseconds(startTime: string): number {
  const bootSeconds = /^btime (\d+)$/m.exec(readProc('stat') ?? '')?.[1] ?? '0';
  return Number(bootSeconds) * 1000 + Number(startTime) * 10;
}
