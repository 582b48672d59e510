import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { childProcesses, isRunning, isWhole, processStat } from '../../../src/host/procfs';
import { waitUntil } from '../../support/waitUntil';

describe('processStat', () => {
  it('tells a process that has ended from one that runs', async () => {
    // nobody waits for the child of a sleep
    const parent = spawn('/bin/sh', ['-c', '/bin/true & exec sleep 100'], { stdio: 'ignore' });
    const pid = parent.pid ?? 0;
    try {
      const child = await waitUntil('there is a child that has ended', () =>
        childProcesses(pid).find((found) => processStat(found)?.isEnding),
      );
      const ended = processStat(child);
      assert.equal(ended?.state, 'Z');
      assert.equal(isRunning(child, ended.startTime), false);
      assert.equal(isWhole(child, ended.startTime), false);
      const running = processStat(pid);
      assert.equal(running?.isEnding, false);
      assert.equal(isWhole(pid, running.startTime), true);
      assert.equal(isWhole(pid, `${running.startTime}0`), false);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
