import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childProcesses, processName } from '../../src/host/procfs';
import type { SandboxConnection } from '../../src/launch/connection';
import type { LineStatus } from '../../src/sandbox/verdict';
import { image } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { endOf, identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

describe('a running sandbox is verified again', () => {
  let folders: TestFolders;
  let connection: SandboxConnection;
  let init: number;
  beforeEach(async () => {
    folders = new TestFolders();
    const started = await startSandbox(specify(folders));
    connection = started.connection;
    await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
    const starter = childProcesses(started.supervisorPid).find((pid) => processName(pid) === 'starter') ?? 0;
    init = childProcesses(starter).find((pid) => processName(pid) === 'appinit') ?? 0;
    assert.notEqual(init, 0);
  });
  afterEach(async () => {
    await connection.stop().catch(() => undefined);
    folders.remove();
  });

  /**
   * Mounts something in the container as only its owner outside can, with all capabilities there. In one process
   * that never calls exec(2), which would take the capabilities away again: hence perl, which every Debian has.
   */
  function mountFromOutside(source: string, target: string, fileSystem: string, flags: number): void {
    const script = `
      my ($init, $source, $target, $type, $flags, $setns, $mount) = @ARGV;
      for my $namespace ("user", "mnt") {
        open(my $handle, "<", "/proc/$init/ns/$namespace") or die "$namespace: $!";
        syscall($setns + 0, fileno($handle), 0) == 0 or die "setns $namespace: $!";
      }
      syscall($mount + 0, $source, $target, $type, $flags + 0, 0) == 0 or die "mount: $!";`;
    // numbers of setns(2) and mount(2)
    const calls = process.arch === 'arm64' ? ['268', '40'] : ['308', '165'];
    const result = spawnSync(
      '/usr/bin/perl',
      ['-e', script, String(init), source, target, fileSystem, String(flags), ...calls],
      { encoding: 'utf8' },
    );
    assert.equal(result.status, 0, result.stderr);
  }

  const lineOf = (fact: string): LineStatus | undefined =>
    connection.status.verdict?.lines.find((line) => line.fact === fact)?.status;

  it('every two seconds', async () => {
    const times = new Set<number>();
    await waitUntil('three verdicts', () => times.add(connection.status.verdict?.time ?? 0).size >= 3);
    const [first = 0, , third = 0] = [...times];
    assert.ok(third - first >= 3000 && third - first < 5000, `${third - first} ms for two`);
  });

  it('and is killed when a file system appears in it', async () => {
    const ended = endOf(connection);
    mountFromOutside('none', '/var/tmp', 'ramfs', 0);
    const end = await ended;
    assert.equal(end.reason, 'broken');
    assert.equal(lineOf('kernelInterfaces'), 'broken');
    assert.match(end.explanation?.text ?? '', /unexpected/);
  });

  it('and is killed when a folder of the host that was not asked for appears in it', async () => {
    const ended = endOf(connection);
    const bind = 0x1000;
    mountFromOutside(folders.workspace, '/var/tmp', '', bind);
    assert.equal((await ended).reason, 'broken');
    assert.equal(lineOf('hostPaths'), 'broken');
  });

  it('and degraded when a bind is lost because the host removed the folder under it', async () => {
    rmSync(join(folders.workspace, 'agent-home'), { recursive: true });
    await waitUntil('it is degraded', () => connection.status.verdict?.state === 'degraded', 10_000);
    assert.equal(lineOf('hostPaths'), 'degraded');
    assert.equal(connection.status.phase, 'running');
  });

  it('and degraded when the workspace is renamed on the host', async () => {
    renameSync(folders.workspace, `${folders.workspace}-2`);
    await waitUntil('it is degraded', () => connection.status.verdict?.state === 'degraded', 10_000);
    const visible = connection.status.verdict?.visiblePaths.map(({ hostPath }) => hostPath) ?? [];
    assert.ok(visible.includes(`${folders.workspace}-2`), visible.join());
    assert.equal(connection.status.phase, 'running');
  });

  it('and degraded when the workspace is removed on the host', async () => {
    rmSync(folders.workspace, { recursive: true });
    await waitUntil('it is degraded', () => connection.status.verdict?.state === 'degraded', 10_000);
    assert.equal(connection.status.phase, 'running');
  });

  it('and lets a program be that makes memory of its own, whatever it calls it', async () => {
    await connection.stop();
    const started = await startSandbox(specify(folders, { image: identified(image()) }));
    connection = started.connection;
    const screen = await ScreenReader.attach(connection);
    const program = [
      'import os, mmap, time',
      'held = os.memfd_create("CANARY-chosen-inside"), mmap.mmap(-1, 4096)',
      'print("ho" + "lds", flush=True); time.sleep(60)',
    ];
    writeFileSync(join(folders.workspace, 'memory.py'), program.join('\n'));
    screen.type('python3 memory.py\r');
    await screen.shows(/holds/);
    const before = connection.status.verdict?.time ?? 0;
    await waitUntil('a verdict later', () => (connection.status.verdict?.time ?? 0) > before);
    assert.equal(connection.status.verdict?.state, 'isolated');
    assert.doesNotMatch(JSON.stringify(connection.status), /CANARY/);
  });

  it('and stays isolated while programs come and go and make namespaces of their own', async () => {
    const screen = await ScreenReader.attach(connection);
    writeFileSync(
      join(folders.workspace, 'busy.sh'),
      'for i in $(seq 2000); do (cat here >/dev/null 2>&1 &); done; touch here; unshare -r true; echo do""ne\n',
    );
    screen.type('sh busy.sh\r');
    await screen.shows(/done/);
    const before = connection.status.verdict?.time ?? 0;
    await waitUntil('a verdict later', () => (connection.status.verdict?.time ?? 0) > before);
    assert.equal(connection.status.verdict?.state, 'isolated');
  });
});
