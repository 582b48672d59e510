import assert from 'node:assert/strict';
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
      if (round > 0) {
        await Promise.all(runs);
        const { live } = await readHomeUses(task.homeFolder);
        assert.equal(live.length, agents, 'they work at the same time');
      }
      for (const run of runs) {
        const { ended, screen } = await run;
        assert.deepEqual(await ended, { reason: 'exited', exitCode: 0 }, screen.text());
      }
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
