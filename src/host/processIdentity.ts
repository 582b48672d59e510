import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { integer } from '../sandbox/schemas';
import { isRunning, listProc, processStat, type ProcessStat } from './procfs';

let bootId: Promise<string> | undefined;
let machineId: Promise<string | undefined> | undefined;

/**
 * Changes with every boot of the machine, which no process outlives; with a pid and its start time it names a process
 * for ever. Read once.
 */
export function readBootId(): Promise<string> {
  bootId ??= readFile('/proc/sys/kernel/random/boot_id', 'utf8').then((text) => text.trim());
  return bootId;
}

/** Names this installation of Linux (machine-id(5)): hosts can share a name and a home. `undefined` where there is none. */
export function readMachineId(): Promise<string | undefined> {
  machineId ??= readFile('/etc/machine-id', 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  return machineId;
}

/** A process that can be told from a later one with the same pid. */
export const processIdentity = v.object({
  pid: v.pipe(integer, v.gtValue(0)),
  /** field 22 of /proc/PID/stat, clock ticks since boot (proc_pid_stat(5)) */
  startTime: v.pipe(v.string(), v.regex(/^\d+$/)),
});
export type ProcessIdentity = v.InferOutput<typeof processIdentity>;

/** The process that has this pid now. `undefined` when none does. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const stat = processStat(pid);
  return stat && { pid, startTime: stat.startTime };
}

/**
 * Kills a process, unless its pid was given to another one meanwhile.
 * @returns whether it still ran
 */
export function killProcess({ pid, startTime }: ProcessIdentity): boolean {
  if (!isRunning(pid, startTime)) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    // it ended between the two lines, or became somebody else's
    return false;
  }
}

/**
 * What is left of the session that a process leads or led. The kernel gives a session's number to nobody else while
 * the session has members, so that these are its own, unless it had none for a while: then its number may lead
 * another session now, or its members are younger than any of ours can be.
 * @param leader a leader that may have ended
 * @param youngest how long after the leader a member can have been started, in clock ticks
 * @param seen all processes there are, where they have just been looked at
 */
export function sessionMembers(
  leader: ProcessIdentity,
  youngest = Infinity,
  seen: readonly SeenProcess[] = allProcesses(),
): ProcessIdentity[] {
  const present = processStat(leader.pid);
  if (present !== undefined && present.startTime !== leader.startTime) return [];
  const since = Number(leader.startTime);
  return seen
    .filter(({ session, startTime }) => session === leader.pid && Number(startTime) >= since)
    .filter(({ startTime }) => Number(startTime) - since <= youngest)
    .map(({ pid, startTime }) => ({ pid, startTime }));
}

/** A process as it was when it was looked at. */
export type SeenProcess = ProcessStat & ProcessIdentity;

/** Every process that can be seen. On a computer for many people that takes tens of milliseconds. */
export function allProcesses(): SeenProcess[] {
  return (listProc('') ?? [])
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = processStat(Number(name));
      return stat ? [{ ...stat, pid: Number(name) }] : [];
    });
}
