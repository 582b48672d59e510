import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { startDemoModel } from '../../../scripts/demoModel/server';
import { readHomeUses } from '../../../src/host/homeFolder';
import { configureModel } from '../../support/agentWorkspace';
import { ScreenReader } from '../../support/screenReader';
import { inspectHome, keptTask, manyWrites, messagesOf, sessionsOf } from './manyWrites';
import { endOf, startSandbox, TestFolders } from './sandboxUnderTest';

/**
 * Has several sandboxes work with one agent's home at the same time, on a disk of this computer, the first of them with
 * an empty one: opencode fails when two make its tables at the same time (measured with 1.18). After each round
 * nothing of any may be missing, and SQLite must find nothing wrong.
 *
 * @param agents how many at a time
 * @param files how many each writes, with a message and several parts for each
 */
export async function shareHome(rounds: number, agents: number, files: number): Promise<void> {
  const folders = new TestFolders();
  const model = await startDemoModel({ scenario: manyWrites(files) });
  try {
    configureModel(folders.workspace, model.baseUrl);
    for (let round = 0; round < rounds; round += 1) {
      const tasks = await Promise.all(
        Array.from({ length: agents }, (_, agent) => keptTask(folders, `write r${round}a${agent}`)),
      );
      const [task] = tasks;
      assert(task);
      const runs = tasks.map(async (specification) => {
        const { connection } = await startSandbox(specification);
        const ended = endOf(connection);
        return { ended, screen: await ScreenReader.attach(connection) };
      });
      const atOnce = mostAtOnce(
        task.homeFolder,
        Promise.all(runs.map(async (run) => (await run).ended)).catch(() => undefined),
      );
      for (const run of runs) {
        const { ended, screen } = await run;
        assert.deepEqual(await ended, { reason: 'exited', exitCode: 0 }, screen.text());
      }
      if (round > 0) assert.equal(await atOnce, agents, 'they work at the same time');
      assert.equal(await inspectHome(task), 'good');
      const sessions = await sessionsOf(folders);
      assert.equal(sessions.length, (round + 1) * agents);
      for (const { sums } of sessions) {
        assert.equal(sums?.messages, messagesOf(files));
        assert.equal(sums.isOpen, false);
      }
    }
  } finally {
    await model.close();
    folders.remove();
  }
}

/** How many used a home at the same moment, until `over`. */
async function mostAtOnce(homeFolder: string, over: Promise<unknown>): Promise<number> {
  let most = 0;
  let isOver = false;
  void over.then(() => (isOver = true));
  while (!isOver) {
    most = Math.max(most, (await readHomeUses(homeFolder)).live.length);
    await delay(20);
  }
  return most;
}
