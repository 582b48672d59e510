import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runBare } from '../../src/apptainer/bareRun';
import { type CopyRequest, keepCopy } from '../../src/apptainer/copyOpencode';
import { recordImage } from '../../src/apptainer/imageIntegrity';
import { ImageRecords } from '../../src/apptainer/imageRecords';
import { OpencodeCopies } from '../../src/apptainer/opencodeCopies';
import { digestOf } from '../../src/host/fileDigest';
import type { LaunchPlan } from '../../src/sandbox/launchPlan';
import { Cancelled } from '../../src/sandbox/userError';
import type { SandboxSpecification } from '../../src/sandbox/specification';
import { apptainer, image, shellImage } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { endOf, specify, startSandbox, superviseChanged, TestFolders } from './support/sandboxUnderTest';

describe('a sandbox with a copy of opencode', () => {
  const environment = { HOME: process.env['HOME'] };
  let folders: TestFolders;
  let request: CopyRequest;
  let copy: NonNullable<SandboxSpecification['opencodeCopy']>;

  before(async () => {
    folders = new TestFolders();
    const records = new ImageRecords(join(folders.root, 'storage'));
    const record = await recordImage(records, realpathSync(image()), {});
    const copies = new OpencodeCopies(join(folders.root, 'storage', 'opencode'), process.getuid?.() ?? -1);
    const { signal } = new AbortController();
    request = { copies, apptainer: realpathSync(apptainer()), image: record, environment, signal };
    assert.equal(await keepCopy(request), 'made');
    const found = await copies.find(record);
    assert.ok(found);
    copy = found;
  });
  after(() => folders.remove());

  function specification(changes: Partial<SandboxSpecification> = {}): SandboxSpecification {
    const { path, identity } = request.image;
    return specify(folders, { image: { path, identity }, opencodeCopy: copy, ...changes });
  }

  it('has what the image has, once', async () => {
    const { stdout } = await runBare({
      ...{ apptainer: request.apptainer, image: request.image.path, environment },
      ...{ command: ['sha256sum', copy.destination], timeoutMilliseconds: 60_000 },
    });
    assert.equal(stdout.split(' ')[0], await digestOf(copy.path));
    assert.equal(statSync(copy.path).mode & 0o7777, 0o500);
    assert.deepEqual(readdirSync(request.copies.folder).sort(), [
      `${request.image.sha256}.json`,
      `${request.image.sha256}.opencode`,
    ]);
    assert.equal(await keepCopy(request), 'there');
  });

  it('runs it, is isolated, and tells of it', async () => {
    const program = ['opencode', '--version'];
    const { connection } = await startSandbox(specification({ kind: 'run', program }));
    const screen = await ScreenReader.attach(connection);
    assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 0 });
    assert.match(screen.text(), /^\d+\.\d+\.\d+/m);
    const { verdict } = connection.status;
    assert.equal(verdict?.state, 'isolated');
    assert.deepEqual(
      verdict.visiblePaths.filter(({ containerPath }) => containerPath === copy.destination),
      [{ hostPath: copy.path, containerPath: copy.destination, mode: 'readOnly' }],
    );
    connection.dispose();
  });

  it('can’t change it', async () => {
    const attack =
      'chmod 777 "$0"; echo x >>"$0"; rm -f "$0"; mv "$0" /tmp; ln "$0" "$PWD/link"; touch "$0"; true';
    const program = ['/bin/sh', '-c', attack, copy.destination];
    const { connection } = await startSandbox(specification({ kind: 'run', program }));
    assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 0 });
    connection.dispose();
    assert.deepEqual(await request.copies.find(request.image), copy);
    assert.equal(existsSync(join(folders.workspace, 'link')), false);
  });

  const source = (): string => `source=${copy.path},`;
  const weakened: readonly (readonly [string, (plan: LaunchPlan) => LaunchPlan])[] = [
    [
      'can be written',
      (plan) => changed(plan, (one) => (one.includes(source()) ? one.replace(/,ro$/, '') : one)),
    ],
    [
      'is another file with the same content',
      (plan) => {
        const other = join(folders.root, 'other');
        copyFileSync(copy.path, other);
        return changed(plan, (one) => one.replace(source(), `source=${other},`));
      },
    ],
    [
      'is in the place of another program',
      (plan) =>
        changed(plan, (one) =>
          one.includes(source()) ? one.replace(copy.destination, '/usr/bin/env') : one,
        ),
    ],
  ];
  for (const [how, change] of weakened) {
    it(`is refused when it ${how}`, async () => {
      const { end, verdict } = await superviseChanged(specification(), change);
      assert.equal(end.reason, 'refused');
      assert.equal(verdict?.lines.find(({ status }) => status === 'broken')?.fact, 'hostPaths');
    });
  }

  it('is not made of an image without opencode, nor when that is cancelled, and nothing is left of it', async () => {
    const copies = new OpencodeCopies(join(folders.root, 'others'), process.getuid?.() ?? -1);
    const records = new ImageRecords(join(folders.root, 'storage'));
    const empty = await recordImage(records, realpathSync(shellImage()), {});
    assert.equal(await keepCopy({ ...request, copies, image: empty }), 'noProgram');
    // another window does not start a container for it
    const apptainer = '/nonexistent/apptainer';
    assert.equal(await keepCopy({ ...request, copies, image: empty, apptainer }), 'failedBefore');
    await copies.remove(empty.sha256);
    const stop = new AbortController();
    const stopped = keepCopy({ ...request, copies, signal: stop.signal });
    setImmediate(() => stop.abort());
    await assert.rejects(stopped, Cancelled);
    assert.deepEqual(readdirSync(copies.folder), []);
  });
});

function changed(plan: LaunchPlan, change: (argument: string) => string): LaunchPlan {
  return { ...plan, arguments: plan.arguments.map(change) };
}
