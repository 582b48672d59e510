import { setTimeout as delay } from 'node:timers/promises';
import {
  identifyProcess,
  killProcess,
  type ProcessIdentity,
  type SeenProcess,
  sessionMembers,
} from '../host/processIdentity';
import { processTree } from '../host/procfs';
import type { CompanionChannel } from './companionChannel';
import type { ContainerProcesses } from './containerProcesses';

/** How long opencode may take to put its database in order; it needs about 100 ms (measured: gone within 400 ms). */
const graceMilliseconds = 350;

/** After SIGKILL of the init everything is gone in about 100 ms (measured); later, the rest is killed one by one. */
const killMilliseconds = 400;

/** What has to end, as far as it came into being. */
export interface RunningParts {
  /** the process that was started as `apptainer`, and leads the terminal's session */
  readonly starter: number;
  readonly container: ContainerProcesses | undefined;
  readonly companion: CompanionChannel | undefined;
  /** resolves when the starter has ended and was reaped */
  readonly exited: Promise<unknown>;
}

/**
 * Ends a container for certain: a short grace for opencode, then SIGKILL for the container's init, which takes all
 * of the container with it, the image server too. Killing Apptainer itself would leave the image server for ever.
 */
export async function endContainer(parts: RunningParts): Promise<void> {
  const { container, companion, exited, starter } = parts;
  if (companion?.terminate() === true && (await happens(exited, graceMilliseconds))) {
    return;
  }
  const init = container && { pid: container.init, startTime: container.initStartTime };
  if (init === undefined || !killProcess(init)) {
    // still on its way to the gate: what there is so far, children first
    killTree(starter);
  }
  if (!(await happens(exited, killMilliseconds))) {
    killTree(starter);
    await happens(exited, killMilliseconds);
  }
}

/**
 * Kills what is left of a starter that has ended, for example an image server whose container is gone.
 * @param seen all processes there are, where they have just been looked at
 */
export function sweepSession(starter: ProcessIdentity, seen?: readonly SeenProcess[]): void {
  sessionMembers(starter, Infinity, seen).forEach(killProcess);
}

function killTree(root: number): void {
  const processes = processTree(root).reverse();
  processes.flatMap((pid) => identifyProcess(pid) ?? []).forEach(killProcess);
}

/** Whether `event` happens within that time. */
async function happens(event: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const timeUp = delay(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const happened = await Promise.race([event.then(() => true), timeUp]);
  timer.abort();
  return happened;
}
