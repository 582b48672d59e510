import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sweepLeftovers } from '../../src/apptainer/leftovers';
import { isSifFile } from '../../src/apptainer/sif';
import { apptainer } from '../support/environment';
import { ImageRegistry, smallOciImage } from '../support/imageRegistry';
import { pushOciImage } from '../support/ociImage';
import { type KnownProcess, ownProcesses, processesBelow, stillRunning } from '../support/processes';
import { projectFile } from '../support/projectFile';
import { SlowProxy } from '../support/slowProxy';
import { waitUntil } from '../support/waitUntil';
import type { PullStep } from './support/pullMain';
import { TestFolders } from './support/sandboxUnderTest';

/** As long as it is pulled, some seconds at this speed. */
const imageBytes = 12_000_000;
const bytesPerSecond = 3_000_000;

describe('a pull that is killed half way', () => {
  let folders: TestFolders;
  let registry: ImageRegistry;
  let slow: SlowProxy;

  before(async () => {
    folders = new TestFolders();
    for (const name of ['images', 'tmp']) mkdirSync(join(folders.root, name));
    registry = await ImageRegistry.start(join(folders.root, 'registry'));
    const image = smallOciImage(join(folders.root, 'image'), randomBytes(imageBytes));
    await pushOciImage(`http://${registry.host}`, 'image', '1', image);
    slow = await SlowProxy.start(registry.host, bytesPerSecond);
  });
  after(async () => {
    slow.stop();
    await registry.stop();
    folders.remove();
  });

  const images = (): string => join(folders.root, 'images');
  const environment = (): Record<string, string> => ({
    HOME: folders.root,
    APPTAINER_CACHEDIR: join(folders.root, 'cache'),
    APPTAINER_TMPDIR: join(folders.root, 'tmp'),
  });

  /** A window's process that pulls, and what it says. */
  function startPull(): { readonly process: ChildProcess; readonly steps: AsyncIterable<string> } {
    const request = {
      ...{ apptainer: apptainer(), source: `docker://${slow.host}/image:1`, environment: environment() },
      ...{ target: join(images(), 'x.sif'), ptyModules: [projectFile('node_modules/node-pty')] },
    };
    const child = spawn(process.execPath, [join(__dirname, 'support/pullMain.js'), JSON.stringify(request)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return { process: child, steps: createInterface({ input: child.stdout }) };
  }

  /** Does something when about half has come. @returns what is said last */
  async function interrupt(steps: AsyncIterable<string>, kill: () => void): Promise<PullStep | undefined> {
    let last: PullStep | undefined;
    let isKilled = false;
    for await (const line of steps) {
      last = JSON.parse(line) as PullStep;
      if (isKilled || 'isOver' in last || last.percent < 30) continue;
      isKilled = true;
      kill();
    }
    assert.ok(isKilled);
    return last;
  }

  /** What of this test runs, but the registry. */
  const pulling = (): KnownProcess[] =>
    stillRunning(ownProcesses()).filter(({ commandLine }) => commandLine.includes(slow.host));

  it('with its window leaves nothing that looks complete, nothing that runs, and after the next look nothing', async () => {
    const { process: window, steps } = startPull();
    const last = await interrupt(steps, () => window.kill('SIGKILL'));
    assert.ok(last && !('isOver' in last));
    await waitUntil('Apptainer has ended', () => pulling().length === 0);
    assert.ok(readdirSync(images()).every((name) => name.endsWith('.partial')));
    // what was unpacked is there still: this test would see it
    assert.equal(readdirSync(join(folders.root, 'tmp')).length, 1);
    await sweepLeftovers(images(), environment());
    assert.deepEqual(readdirSync(images()), []);
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
  });

  it('by somebody who kills Apptainer fails, and leaves nothing', async () => {
    const { process: window, steps } = startPull();
    const last = await interrupt(steps, () => {
      const [program] = processesBelow(window.pid ?? 0).filter(({ pid }) => pid !== window.pid);
      assert.ok(program);
      process.kill(program.pid, 'SIGKILL');
    });
    assert.ok(last && 'isOver' in last && last.code === 'pull.failed', JSON.stringify(last));
    assert.deepEqual(readdirSync(images()), []);
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
    await waitUntil('nothing of it runs', () => pulling().length === 0);
  });

  it('does not disturb that of another window, which goes on with the same image', async () => {
    const [killed, other] = [startPull(), startPull()];
    const [, last] = await Promise.all([
      interrupt(killed.steps, () => killed.process.kill('SIGKILL')),
      lastOf(other.steps),
    ]);
    assert.deepEqual(last, { isOver: true });
    assert.ok(await isSifFile(join(images(), 'x.sif')));
    await sweepLeftovers(images(), environment());
    assert.deepEqual(readdirSync(images()), ['x.sif']);
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
  });

  async function lastOf(steps: AsyncIterable<string>): Promise<PullStep | undefined> {
    let last: PullStep | undefined;
    for await (const line of steps) last = JSON.parse(line) as PullStep;
    return last;
  }
});
