import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { gateWord } from '../sandbox/launchPlan';
import { findContainer, guessContainer, type ContainerProcesses } from './containerProcesses';

/** How often the host looks whether the container has arrived at its gate; a look costs under 0.1 ms. */
const pollMilliseconds = 4;

/** The same when the container is complete: a shell needs a few milliseconds to its first line. */
const lastPollMilliseconds = 1;

/** A container that is complete and waits; exactly one of the two must be called. */
export interface WaitingContainer {
  readonly container: ContainerProcesses;
  /** Lets it go on. Call it only on a clean verdict. */
  open(): void;
  /** Makes it end without running anything. */
  deny(): void;
}

/**
 * Waits until a container below `starter` is complete and something in it reads the gate.
 *
 * @param gate path of the FIFO
 * @param signal aborts the wait when Apptainer has ended
 * @returns `undefined` when aborted
 */
export async function waitAtGate(
  starter: number,
  gate: string,
  signal: AbortSignal,
): Promise<WaitingContainer | undefined> {
  let descriptor: number | undefined;
  while (!signal.aborted) {
    descriptor ??= openForWriting(gate);
    const complete = findContainer(starter);
    if (descriptor !== undefined) {
      const container = complete ?? guessContainer(starter);
      if (container) {
        return waiting(container, descriptor);
      }
    }
    await delay(complete ? lastPollMilliseconds : pollMilliseconds);
  }
  if (descriptor !== undefined) {
    closeSync(descriptor);
  }
  return undefined;
}

function waiting(container: ContainerProcesses, descriptor: number): WaitingContainer {
  return {
    container,
    open: () => {
      writeSync(descriptor, `${gateWord}\n`);
      closeSync(descriptor);
    },
    // the reader sees the end of the file instead of the word
    deny: () => closeSync(descriptor),
  };
}

/** Opening a FIFO for writing without blocking fails with ENXIO while nobody opens it for reading (fifo(7)). */
function openForWriting(gate: string): number | undefined {
  try {
    return openSync(gate, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}
