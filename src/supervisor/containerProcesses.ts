import { childProcesses, processName, processStat } from '../host/procfs';

/** The two processes that Apptainer keeps for one container, with the start times that tell a reused pid. */
export interface ContainerProcesses {
  /** the starter: holds the image open, parent of everything */
  readonly starter: number;
  /** pid 1 of the container, seen from the host */
  readonly init: number;
  readonly initStartTime: string;
}

/**
 * Finds the container below the process that was started as `apptainer`, once it is complete: its init is called
 * `appinit` and has a child. Earlier the process still shows the host's root and all capabilities (measured).
 */
export function findContainer(starter: number): ContainerProcesses | undefined {
  for (const init of childProcesses(starter)) {
    const stat = processStat(init);
    if (stat && processName(init) === 'appinit' && childProcesses(init).length > 0) {
      return { starter, init, initStartTime: stat.startTime };
    }
  }
  return undefined;
}

/**
 * What stands for a container when something waits at the gate although no `appinit` does: without a pid namespace
 * of its own Apptainer makes none. It is judged like any other, and refused.
 */
export function guessContainer(starter: number): ContainerProcesses | undefined {
  const init = childProcesses(starter).find((pid) => !isImageServer(pid));
  const stat = init === undefined ? undefined : processStat(init);
  return init !== undefined && stat ? { starter, init, initStartTime: stat.startTime } : undefined;
}

/** The process that waits at the gate: the first child of the container's init. */
export function gateProcess({ init }: ContainerProcesses): number {
  return childProcesses(init)[0] ?? init;
}

/** Whether a child of the starter serves the image. The container can't make a child of the starter. */
export function isImageServer(pid: number): boolean {
  return processName(pid)?.startsWith('squashfuse') === true;
}
