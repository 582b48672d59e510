import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { uptime } from 'node:os';
import { childProcesses } from '../../../src/host/procfs';
import { isIdleAndBegan } from '../../../src/host/untouchedShell';
import { waitUntil } from '../../support/waitUntil';

describe('isIdleAndBegan', () => {
  const lately = () => ({ from: uptime() - 60, to: uptime() });
  let shell: ChildProcess;
  let pid: number;
  beforeEach(() => {
    shell = spawn('/bin/sh', [], { stdio: ['pipe', 'ignore', 'ignore'] });
    pid = shell.pid ?? 0;
  });
  afterEach(() => shell.kill('SIGKILL'));

  it('is true for a shell that waits', () => {
    assert.equal(isIdleAndBegan(pid, lately()), true);
  });

  it('is false for one that runs something', async () => {
    shell.stdin?.write('sleep 300 & wait\n');
    await waitUntil('it runs', () => childProcesses(pid).length > 0);
    assert.equal(isIdleAndBegan(pid, lately()), false);
    childProcesses(pid).forEach((child) => process.kill(child, 'SIGKILL'));
  });

  it('is false for one that was there before, came later, or is gone', () => {
    assert.equal(isIdleAndBegan(1, lately()), false);
    assert.equal(isIdleAndBegan(pid, { from: 0, to: uptime() - 60 }), false);
    assert.equal(isIdleAndBegan(2 ** 22 + 1, lately()), false);
  });
});
