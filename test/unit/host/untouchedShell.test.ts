import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { childProcesses } from '../../../src/host/procfs';
import { isIdleAndNewerThan } from '../../../src/host/untouchedShell';
import { waitUntil } from '../../support/waitUntil';

describe('isIdleAndNewerThan', () => {
  let shell: ChildProcess;
  let pid: number;
  beforeEach(() => {
    shell = spawn('/bin/sh', [], { stdio: ['pipe', 'ignore', 'ignore'] });
    pid = shell.pid ?? 0;
  });
  afterEach(() => shell.kill('SIGKILL'));

  it('is true for a shell that waits', () => {
    assert.equal(isIdleAndNewerThan(pid, process.pid), true);
  });

  it('is false for one that runs something', async () => {
    shell.stdin?.write('sleep 300 & wait\n');
    await waitUntil('it runs', () => childProcesses(pid).length > 0);
    assert.equal(isIdleAndNewerThan(pid, process.pid), false);
    childProcesses(pid).forEach((child) => process.kill(child, 'SIGKILL'));
  });

  it('is false for one that was there before, and for one that is gone', () => {
    assert.equal(isIdleAndNewerThan(1, process.pid), false);
    assert.equal(isIdleAndNewerThan(2 ** 22 + 1, process.pid), false);
  });
});
