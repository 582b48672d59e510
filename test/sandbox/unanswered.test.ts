import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectSandbox } from '../../src/launch/connect';
import { LiveSandboxes } from '../../src/launch/liveSandboxes';
import { SandboxRegistry } from '../../src/launch/sandboxRegistry';
import { sandboxState } from '../../src/ui/status/statusText';
import { processesBelow, stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

/** How long a supervisor that hangs may keep this test waiting. */
const patienceMilliseconds = 500;

describe('a sandbox whose supervisor hangs', () => {
  let folders: TestFolders;
  let registry: SandboxRegistry;
  let supervisorPid: number;
  let runDirectory: string;

  beforeEach(async () => {
    folders = new TestFolders();
    const index = join(folders.root, 'sandboxes');
    const live = new LiveSandboxes(folders.root);
    await live.find();
    const started = await startSandbox(specify(folders, { indexDirectory: index }));
    ({ supervisorPid, runDirectory } = started);
    await waitUntil('the sandbox runs', () => started.connection.status.phase === 'running');
    registry = new SandboxRegistry({
      findLive: () => live.find(),
      connect: (socket) => connectSandbox(socket, { patienceMilliseconds }),
      end: (id) => live.end(id),
      folders: () => Promise.resolve(new Set([folders.workspace])),
      readCrash: () => Promise.resolve(undefined),
      log: () => undefined,
    });
  });

  afterEach(() => {
    registry.dispose();
    folders.remove();
  });

  async function assertNothingIsLeft(processes: ReturnType<typeof processesBelow>): Promise<void> {
    assert.deepEqual(registry.list(), []);
    const left = (): string[] => [
      ...stillRunning(processes).map(({ pid, commandLine }) => `${pid} ${commandLine}`),
      ...(existsSync(runDirectory) ? [runDirectory] : []),
      ...readdirSync(join(folders.root, 'sandboxes')),
    ];
    await waitUntil(
      'nothing is left',
      () => left().length === 0,
      10_000,
      () => left().join('\n'),
    );
  }

  it('is seen as not verified by a new window, and ends when it is stopped', async () => {
    process.kill(supervisorPid, 'SIGSTOP');
    const processes = processesBelow(supervisorPid);
    assert.ok(processes.length >= 6);
    assert.deepEqual(await registry.discover(), []);
    const [known] = registry.running();
    assert(known);
    assert.equal(sandboxState(known.status, Date.now()), 'notVerified');
    const started = known.summary.startedAt;
    assert.ok(Math.abs(Date.now() - started) < 60_000, new Date(started).toISOString());
    await registry.stop(known.summary.id);
    await assertNothingIsLeft(processes);
  });

  it('ends when it is stopped by a window that was connected before', async () => {
    const [known] = await registry.discover();
    assert(known);
    process.kill(supervisorPid, 'SIGSTOP');
    const processes = processesBelow(supervisorPid);
    await registry.stop(known.summary.id);
    await assertNothingIsLeft(processes);
  });
});
