import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findLeftovers, kill, requireNoTry } from '../../../scripts/test/leftovers';
import { ownProcesses, stillRunning } from '../../support/processes';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

describe('what tests have left running', () => {
  const folder = useTemporaryFolder();

  /** Starts a process that lives on and has the folder only in its environment, and returns its pid. */
  async function leave(): Promise<number> {
    const child = spawn('/bin/sleep', ['60'], { env: { MARK: folder() }, stdio: 'ignore', detached: true });
    child.unref();
    await once(child, 'spawn');
    return child.pid ?? -1;
  }

  it('is found by a trace, and killed', async () => {
    const before = ownProcesses();
    const pid = await leave();
    const leftovers = await findLeftovers(before, [folder()]);
    assert.deepEqual(
      leftovers.map((leftover) => leftover.pid),
      [pid],
    );
    assert.equal(leftovers[0]?.commandLine, '/bin/sleep 60');
    kill(leftovers);
    await waitUntil('it has ended', () => stillRunning(leftovers).length === 0);
  });

  it('could be what somebody tries out in the same clone, so that tests don’t begin then', () => {
    const of = (commandLine: string) => [{ pid: 1, startTime: '1', commandLine }];
    const program = join(folder(), 'out/scripts/try.cjs');
    assert.throws(() => requireNoTry(of(`/usr/bin/node ${program} --headless`), program), /End it first/);
    requireNoTry(of('/usr/bin/node /another/out/scripts/try.cjs'), program);
  });

  it('is not what ran before, nor what has nothing to do with the tests', async () => {
    const pid = await leave();
    try {
      assert.deepEqual(await findLeftovers(ownProcesses(), [folder()]), []);
      assert.deepEqual(await findLeftovers([], [`${folder()}-other`]), []);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });
});
