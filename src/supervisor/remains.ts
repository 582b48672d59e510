import { setTimeout as delay } from 'node:timers/promises';
import {
  allProcesses,
  identifyProcess,
  killProcess,
  type ProcessIdentity,
  type SeenProcess,
} from '../host/processIdentity';
import { childProcesses, isRunning, readProcLink } from '../host/procfs';
import { isImageServer, type ContainerProcesses } from './containerProcesses';

/**
 * What must be gone for a container to be gone, noted while it waits at its gate and nothing of the agent's has run.
 * An agent can end Apptainer's starter (`kill 0` reaches its process group through the pid namespace) and keep the
 * container's init alive by tracing it (measured), so that the starter's end says nothing.
 */
export interface ContainerRemains {
  readonly init: ProcessIdentity;
  /** `pid:[…]` of /proc/PID/ns/pid; undefined when the container has none of its own */
  readonly pidNamespace: string | undefined;
  readonly imageServers: readonly ProcessIdentity[];
}

/** Notes what will have to be gone. */
export function noteRemains({ init, initStartTime, starter }: ContainerProcesses): ContainerRemains {
  const pidNamespace = readProcLink(`${init}/ns/pid`);
  return {
    init: { pid: init, startTime: initStartTime },
    pidNamespace: pidNamespace === readProcLink('self/ns/pid') ? undefined : pidNamespace,
    imageServers: childProcesses(starter)
      .filter(isImageServer)
      .flatMap((pid) => identifyProcess(pid) ?? []),
  };
}

/** Killed processes are gone in some 10 ms; one that waits for a disk or a network file system may never be. */
const patienceMilliseconds = 3000;
const pollMilliseconds = 10;

/**
 * Kills what is left of a container: its init, with which the kernel kills everything in its pid namespace, whatever
 * else is found in that namespace, and the image servers.
 *
 * @returns whether nothing is left, and all processes that were seen just now
 */
export async function endRemains(
  remains: ContainerRemains,
): Promise<{ readonly isGone: boolean; readonly seen: readonly SeenProcess[] }> {
  const deadline = performance.now() + patienceMilliseconds;
  for (;;) {
    const seen = allProcesses();
    const left = whatIsLeft(remains, seen);
    if (left.length === 0 || performance.now() > deadline) {
      return { isGone: left.length === 0, seen };
    }
    left.forEach(killProcess);
    await delay(pollMilliseconds);
  }
}

function whatIsLeft(
  { init, pidNamespace, imageServers }: ContainerRemains,
  seen: readonly SeenProcess[],
): ProcessIdentity[] {
  const noted = [init, ...imageServers].filter(({ pid, startTime }) => isRunning(pid, startTime));
  const inside =
    pidNamespace === undefined
      ? []
      : seen
          // one that waits to be collected by its parent is gone, and can't be killed again
          .filter(({ state }) => state !== 'Z' && state !== 'X')
          .filter(({ pid }) => readProcLink(`${pid}/ns/pid`) === pidNamespace);
  return [...noted, ...inside];
}
