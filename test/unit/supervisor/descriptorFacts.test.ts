import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { processTree, readProc } from '../../../src/host/procfs';
import { parseMountinfo } from '../../../src/sandbox/mountinfo';
import { descriptorFacts } from '../../../src/supervisor/descriptorFacts';
import { waitUntil } from '../../support/waitUntil';

/** Each of them meets hundreds of processes at every moment of their lives. */
const readings = 100;

describe('descriptorFacts', () => {
  let parent: ChildProcess;
  beforeEach(() => {
    // no container is needed for processes to end
    parent = spawn('/bin/sh', ['-c', 'for loop in 1 2 3; do while :; do /bin/true; done & done; wait'], {
      detached: true,
      stdio: 'ignore',
    });
  });
  afterEach(() => {
    process.kill(-(parent.pid ?? 0), 'SIGKILL');
  });

  it('takes no process that is just ending for one whose descriptors can’t be read', async () => {
    const mounts = parseMountinfo(readProc('self/mountinfo') ?? '');
    const pid = parent.pid ?? 0;
    const unreadable: number[] = [];
    let seen = 0;
    await waitUntil('all three loops run', () => processTree(pid).length >= 4);
    for (let reading = 0; reading < readings; reading += 1) {
      await turn();
      const pids = processTree(pid);
      seen += pids.length;
      const facts = descriptorFacts(pids, process.pid, mounts, Infinity);
      unreadable.push(...facts.unreadableDescriptors);
      assert.deepEqual(facts.foreignDescriptors, []);
    }
    assert.ok(seen > 4 * readings, `${seen} processes were looked at`);
    assert.deepEqual(unreadable, []);
  });
});
