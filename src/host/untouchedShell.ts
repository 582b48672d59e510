import { childProcesses, processStat } from './procfs';

/**
 * Whether a process began after another one, and runs nothing: a shell that has only just been opened and waits.
 *
 * @param pid of the shell
 * @param after a process that was there before, for example an extension host that was started with its window
 */
export function isIdleAndNewerThan(pid: number, after: number): boolean {
  const [shell, other] = [processStat(pid), processStat(after)];
  return (
    shell !== undefined &&
    other !== undefined &&
    // both are ticks since boot
    Number(shell.startTime) >= Number(other.startTime) &&
    childProcesses(pid).length === 0
  );
}
