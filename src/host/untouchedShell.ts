import { childProcesses, processStat } from './procfs';

/** USER_HZ is 100 on every Linux (time(7)). */
const ticksPerSecond = 100;

/** When a process began, in seconds since boot, both included. */
export interface Beginning {
  readonly from: number;
  readonly to: number;
}

/** Whether a process began then, and runs nothing: a shell that has only just been opened and waits. */
export function isIdleAndBegan(pid: number, { from, to }: Beginning): boolean {
  const stat = processStat(pid);
  if (stat === undefined) return false;
  const began = Number(stat.startTime) / ticksPerSecond;
  return from <= began && began <= to && childProcesses(pid).length === 0;
}
