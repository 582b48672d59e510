import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Measured: 3 to 10 MB to and fro, and on a very busy machine once 16 MB more, for good, of which nothing was left
 * when a collection was forced: V8 had let its young generation grow, whose halves have up to 16 MB each. What piles
 * up would be 1.5 to 2.6 MB a second.
 */
const allowedGrowthBytes = 24 * 2 ** 20;

const sampleMilliseconds = 500;

/** What processes have allocated, in bytes, each half second for a while. @returns the samples of each process */
export async function watchMemory(pids: readonly number[], seconds: number): Promise<number[][]> {
  const samples = pids.map((pid) => [memoryOf(pid)]);
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    await delay(sampleMilliseconds);
    pids.forEach((pid, index) => samples[index]?.push(memoryOf(pid)));
  }
  return samples;
}

/**
 * The least of the last samples is what was not collected; the most of the first ones is what is normal.
 * @param who for the error
 */
export function assertFlat(who: string, samples: readonly number[]): void {
  const part = Math.ceil(samples.length / 4);
  const atFirst = Math.max(...samples.slice(0, part));
  const atLast = Math.min(...samples.slice(-part));
  const grown = atLast - atFirst;
  const seen = `memory of the ${who} in MB: ${inMegabytes(samples)}`;
  assert.ok(grown < allowedGrowthBytes, seen);
  assert.ok(Math.max(...samples) < atFirst + 2 * allowedGrowthBytes, seen);
}

/** At most 60 samples, evenly spread, for people. */
export function inMegabytes(samples: readonly number[]): string {
  const step = Math.ceil(samples.length / 60);
  const shown = samples.filter((_, index) => index % step === 0);
  return shown.map((bytes) => Math.round(bytes / 2 ** 20)).join(' ');
}

/**
 * What a process has allocated (RssAnon of proc_pid_status(5), the Anonymous of smaps_rollup), in bytes. The text of the
 * program is not its own, and its share of that changes with the other Node.js processes of the machine.
 */
function memoryOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
