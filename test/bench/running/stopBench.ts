import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { stillRunning } from '../../support/processes';
import { startRunning } from '../../sandbox/support/runningSandbox';
import { TestFolders } from '../../sandbox/support/sandboxUnderTest';
import { type Bench, type Figure, median, percentile95 } from '../bench';
import { getTestParts } from '../parts';

const stops = Number(process.env['SANDBOXED_AGENT_BENCH_STOPS'] ?? 100);
const pollMilliseconds = 2;

/** How long it takes from the word “stop” until no process and no run directory is left. */
export const stopBench: Bench = {
  async *run(signal): AsyncGenerator<Figure> {
    await getTestParts();
    const times: number[] = [];
    for (let round = 0; round < stops; round++) {
      signal.throwIfAborted();
      times.push(await oneStop());
    }
    const worst = Math.max(...times);
    yield {
      name: `${stops} sandboxes, from stop until nothing is left`,
      unit: 'ms',
      values: { median: median(times), 'of 95 %': percentile95(times), worst },
      goal: 'worst below 1000',
      isMet: worst < 1000,
    };
  },
};

async function oneStop(): Promise<number> {
  const folders = new TestFolders();
  try {
    const { connection, processes, runDirectory } = await startRunning(folders);
    const start = performance.now();
    const stopped = connection.stop();
    while (stillRunning(processes).length > 0 || existsSync(runDirectory)) await delay(pollMilliseconds);
    const taken = performance.now() - start;
    await stopped;
    connection.dispose();
    return taken;
  } finally {
    folders.remove();
  }
}
