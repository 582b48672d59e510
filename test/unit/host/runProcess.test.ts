import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessRequest, ProcessError, requireSuccess, runProcess } from '../../../src/host/runProcess';
import { Cancelled } from '../../../src/sandbox/userError';
import { processStat } from '../../../src/host/procfs';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

function shell(script: string, more: Partial<ProcessRequest> = {}): ProcessRequest {
  return { file: '/bin/sh', args: ['-c', script], env: {}, cwd: '/', maximumOutputBytes: 1000, ...more };
}

/** Waits for a file with content. */
async function written(path: string): Promise<string> {
  return waitUntil(`${path} is written`, () => existsSync(path) && readFileSync(path, 'utf8').trim());
}

/** Waits until no process has this pid, or only its zombie. A killed process takes a moment to end. */
async function ended(pid: string): Promise<void> {
  await waitUntil(
    `process ${pid} has ended`,
    () => (processStat(Number(pid))?.state ?? 'X').match(/[XZ]/) !== null,
  );
}

describe('runProcess', () => {
  const folder = useTemporaryFolder();

  it('gives the exit code and both outputs', async () => {
    const outcome = await runProcess(shell('echo out; echo err >&2; exit 3'));
    assert.deepEqual(outcome, {
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      stdoutTruncated: false,
    });
  });

  it('names the signal that ended a process', async () => {
    const outcome = await runProcess(shell('kill -TERM $$'));
    assert.deepEqual([outcome.exitCode, outcome.signal], [null, 'SIGTERM']);
  });

  it('inherits nothing of our environment', async () => {
    process.env['SECRET_OF_THE_TEST'] = 'secret';
    try {
      const { stdout } = await runProcess({ ...shell(''), file: '/usr/bin/env', args: [], env: { A: 'b' } });
      assert.equal(stdout, 'A=b\n');
    } finally {
      delete process.env['SECRET_OF_THE_TEST'];
    }
  });

  it('hands arguments on as they are', async () => {
    const args = ['-c', 'printf "%s|" "$@"', 'sh', '$(id)', 'a b', '"', "'", '\n', '*'];
    const { stdout } = await runProcess({ ...shell(''), args });
    assert.equal(stdout, `$(id)|a b|"|'|\n|*|`);
  });

  it('writes standard input and closes it', async () => {
    const { stdout } = await runProcess(shell('cat', { standardInput: 'ünïcode' }));
    assert.equal(stdout, 'ünïcode');
  });

  it('does not mind a process that leaves its standard input unread', async () => {
    const outcome = await runProcess(shell('exit 0', { standardInput: 'x'.repeat(1_000_000) }));
    assert.equal(outcome.exitCode, 0);
  });

  it('gives no standard input when there is none', async () => {
    assert.equal((await runProcess(shell('cat'))).stdout, '');
  });

  it('keeps the begin of a long output and the end of long errors, and drains both', async () => {
    const script = 'for i in $(seq 20000); do echo out$i; echo err$i >&2; done';
    const outcome = await runProcess(shell(script, { maximumOutputBytes: 12 }));
    assert.equal(outcome.stdout, 'out1\nout2\nou');
    assert.equal(outcome.stdoutTruncated, true);
    assert.equal(outcome.stderr, 'r19999\nerr20000\n'.slice(-12));
    assert.equal(outcome.exitCode, 0);
  });

  it('hands on the lines of standard error, also one without an end', async () => {
    const lines: string[] = [];
    const script = 'printf "one\\r\\ntwo\\n\\nthr" >&2; printf "ee" >&2';
    await runProcess(shell(script, { onStderrLine: (line) => lines.push(line) }));
    assert.deepEqual(lines, ['one', 'two', 'three']);
  });

  it('hands on all of standard output, however long, and keeps nothing of it', async () => {
    let length = 0;
    const script = 'head -c 3000000 /dev/zero';
    const onStdout = (chunk: Buffer): void => void (length += chunk.length);
    const outcome = await runProcess(shell(script, { maximumOutputBytes: 12, onStdout }));
    assert.equal(length, 3_000_000);
    assert.equal(outcome.stdout, '');
  });

  it('refuses a program without an absolute path', async () => {
    await assert.rejects(
      runProcess({ ...shell(''), file: 'sh' }),
      (error) => error instanceof ProcessError && error.reason === 'notStarted',
    );
  });

  it('says why a program could not be started', async () => {
    await assert.rejects(runProcess({ ...shell(''), file: join(folder(), 'missing') }), (error) => {
      assert(error instanceof ProcessError);
      assert.equal(error.reason, 'notStarted');
      assert.match(String(error.cause), /ENOENT/);
      assert.match(error.message, /missing could not be started/);
      return true;
    });
  });

  it('starts nothing when it was cancelled before', async () => {
    const script = `touch '${folder()}/started'`;
    await assert.rejects(runProcess(shell(script, { signal: AbortSignal.abort() })), Cancelled);
    assert.equal(existsSync(join(folder(), 'started')), false);
  });

  it('ends the whole group with SIGINT when it is cancelled', async () => {
    const controller = new AbortController();
    const script = 'trap "echo interrupted >>log; exit 1" INT; sleep 600 & echo $! >pid; wait';
    const running = runProcess(shell(script, { cwd: folder(), signal: controller.signal }));
    const pid = await written(join(folder(), 'pid'));
    controller.abort();
    await assert.rejects(running, Cancelled);
    assert.equal(readFileSync(join(folder(), 'log'), 'utf8'), 'interrupted\n');
    await ended(pid);
  });

  it('kills what does not listen to SIGINT', async function () {
    this.timeout(30_000);
    const controller = new AbortController();
    const script = 'trap "" INT; echo $$ >pid; while :; do sleep 600; done';
    const running = runProcess(shell(script, { cwd: folder(), signal: controller.signal }));
    const pid = await written(join(folder(), 'pid'));
    controller.abort();
    await assert.rejects(running, Cancelled);
    await ended(pid);
  });

  it('ends what takes too long', async () => {
    await assert.rejects(
      runProcess(shell('echo slow >&2; exec sleep 600', { timeoutMilliseconds: 300 })),
      (error) => {
        assert(error instanceof ProcessError);
        assert.deepEqual([error.reason, error.stderrTail], ['timedOut', 'slow\n']);
        return true;
      },
    );
  });

  it('does not wait for a descendant that keeps the output open', async function () {
    this.timeout(30_000);
    const outcome = await runProcess(shell('sleep 600 & echo $!'));
    assert.equal(outcome.exitCode, 0);
    await ended(outcome.stdout.trim());
  });
});

describe('requireSuccess', () => {
  const outcome = { exitCode: 0, signal: null, stdout: '', stderr: '', stdoutTruncated: false };

  it('passes exit code 0', () => {
    assert.equal(requireSuccess('/bin/x', outcome), outcome);
  });

  it('throws the code and the last words otherwise', () => {
    const failed = { ...outcome, exitCode: 255, stderr: `${'x'.repeat(5000)}\nFATAL: it broke\n` };
    assert.throws(
      () => requireSuccess('/bin/x', failed),
      (error) => {
        assert(error instanceof ProcessError);
        assert.equal(error.exitCode, 255);
        assert.match(error.stderrTail, /FATAL: it broke\n$/);
        assert.match(error.message, /^\/bin\/x ended with exit code 255/);
        assert(error.message.length < 2200);
        return true;
      },
    );
  });
});
