import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readRunRecords } from '../../src/host/runRecords';
import { shellImage } from '../support/environment';
import { waitUntil } from '../support/waitUntil';
import { startRunning } from './support/runningSandbox';
import { endOf, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

describe('the record of a run', () => {
  let folders: TestFolders;
  let recordDirectory: string;
  beforeEach(() => {
    folders = new TestFolders();
    recordDirectory = join(folders.root, 'runs');
    mkdirSync(recordDirectory);
  });
  afterEach(() => folders.remove());

  it('says what was started, what was verified and how it ended', async () => {
    const { connection, processes, supervisorPid } = await startRunning(folders, {
      recordDirectory,
      insideEnvironment: { TOKEN_NAME: 'VALUE-7f3a' },
    });
    rmSync(join(folders.workspace, 'agent-home'), { recursive: true });
    await waitUntil('it is degraded', () => connection.status.verdict?.state === 'degraded');
    const ended = endOf(connection);
    connection.sendInput('exit 7\r');
    await ended;
    const record = await waitUntil('the end is recorded', async () =>
      (await readRunRecords(recordDirectory)).find(({ end }) => end !== undefined),
    );
    assert.equal(record.workspace, folders.workspace);
    assert.equal(record.image.path, shellImage());
    assert.equal(record.supervisor.pid, supervisorPid);
    assert.ok(record.argv.includes('--containall'));
    assert.ok(record.environmentNames.includes('APPTAINERENV_TOKEN_NAME'));
    assert.match(record.extensionVersion, /^\d+\.\d+\.\d+/);
    assert.deepEqual(
      record.verdicts.map(({ state, facts }) => [state, facts]),
      [
        ['isolated', []],
        ['degraded', [{ fact: 'hostPaths', status: 'degraded' }]],
      ],
    );
    assert.equal(record.end?.reason, 'exited');
    assert.equal(record.end.exitCode, 7);
    assert.ok(record.startedAt <= record.end.time);
    assert.ok(processes.length > 0);
  });

  it('holds no value of a variable and no prompt', async () => {
    const { connection } = await startSandbox(
      specify(folders, {
        kind: 'task',
        prompt: 'PROMPT-91c4',
        recordDirectory,
        insideEnvironment: { TOKEN_NAME: 'VALUE-7f3a' },
      }),
    );
    await endOf(connection);
    await waitUntil('it is recorded', async () => (await readRunRecords(recordDirectory))[0]?.end);
    const text = readdirSync(recordDirectory).map((name) =>
      readFileSync(join(recordDirectory, name), 'utf8'),
    );
    assert.equal(text.length, 1);
    assert.doesNotMatch(text.join(), /PROMPT-91c4|VALUE-7f3a/);
  });

  it('is not worth an agent: a disk that takes no record is only logged', async () => {
    rmSync(recordDirectory, { recursive: true });
    const { connection } = await startSandbox(specify(folders, { recordDirectory }));
    const lines: string[] = [];
    connection.onLog((line) => lines.push(line));
    await waitUntil('it runs', () => connection.status.phase === 'running');
    await waitUntil('it is logged', () => lines.some((line) => line.includes('could not be recorded')));
    await connection.stop();
  });
});
