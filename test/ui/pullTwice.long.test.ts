import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageRecord } from '../../src/apptainer/imageRecords';
import { parseAs } from '../../src/sandbox/parseAs';
import { ImageRegistry, smallOciImage } from '../support/imageRegistry';
import { pushOciImage } from '../support/ociImage';
import { ownProcesses, stillRunning } from '../support/processes';
import { SlowProxy } from '../support/slowProxy';
import { useWorkbench } from './useWorkbench';

describe('Pull Image, in two windows at once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twice-'));
  let registry: ImageRegistry;
  let slow: SlowProxy;
  before(async () => {
    mkdirSync(join(folder, 'tmp'));
    registry = await ImageRegistry.start(join(folder, 'registry'));
    const image = smallOciImage(join(folder, 'content'), randomBytes(30_000_000));
    await pushOciImage(`http://${registry.host}`, 'agent', '1', image);
    slow = await SlowProxy.start(registry.host, 3_000_000);
  });
  const workbench = useWorkbench(() => ({
    name: 'pull twice',
    configuresModel: false,
    folderName: 'muons',
    environment: { APPTAINER_CACHEDIR: join(folder, 'cache'), APPTAINER_TMPDIR: join(folder, 'tmp') },
    settings: {
      'sandboxedAgent.image': '',
      'sandboxedAgent.network': 'none',
      'sandboxedAgent.imageSource': `docker://${slow.host}/agent:1`,
    },
  }));
  after(async () => {
    slow.stop();
    await registry.stop();
    rmSync(folder, { recursive: true });
  });

  it('ends well in both, with one image, its record, and nothing else', async () => {
    const { page: first, storageFolder } = workbench();
    const second = await workbench().openWindow('kaons');
    const windows = [first, second];
    for (const window of windows) await window.runCommand('Sandboxed Agent: Pull Image');
    await Promise.all(windows.map((window) => window.notificationSays(/Downloading: [1-9][\d.]* of \d/)));
    const images = join(storageFolder, 'images');
    assert.equal(readdirSync(join(folder, 'tmp')).length, 2, 'both are under way');
    assert.ok(!readdirSync(images).includes('opencode.sif'));
    await Promise.all(windows.map((window) => window.notificationSays(/The image is ready/)));
    await second.screenshot('ready');

    assert.deepEqual(readdirSync(images), ['opencode.sif']);
    assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
    const [name, ...others] = readdirSync(join(storageFolder, 'imageRecords'));
    assert.deepEqual(others, []);
    const record = parseAs(
      imageRecord,
      JSON.parse(readFileSync(join(storageFolder, 'imageRecords', name ?? ''), 'utf8')),
    );
    const content = readFileSync(join(images, 'opencode.sif'));
    assert.equal(record.sha256, createHash('sha256').update(content).digest('hex'));
    assert.match(record.digest ?? '', /^sha256:/);
    const left = ownProcesses().filter(({ commandLine }) => commandLine.includes(slow.host));
    assert.deepEqual(stillRunning(left), []);
  });

  it('is the image that a window then starts, not one that was changed', async () => {
    const { page } = workbench();
    await page.clearNotifications();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated, no network$/);
    const processes = await workbench().sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench().gone(processes);
  });
});
