import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellImage } from '../support/environment';
import { ImageRegistry, smallOciImage } from '../support/imageRegistry';
import { type OciImage, pushOciImage } from '../support/ociImage';
import { ownProcesses, stillRunning } from '../support/processes';
import { SlowProxy } from '../support/slowProxy';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

describe('Check Setup, and Select Image…', () => {
  const folder = mkdtempSync(join(tmpdir(), 'images-'));
  const image = join(folder, 'chosen.sif');
  const workbench = useWorkbench(() => ({
    name: 'setup',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.image': '', 'sandboxedAgent.network': 'none' },
  }));
  const title = 'Select the image for sandboxes';
  before(() => copyFileSync(shellImage(), image));
  after(() => rmSync(folder, { recursive: true }));

  it('is where the status item leads to when something is missing', async () => {
    const { page } = workbench();
    await page.statusSays(/Agent: unavailable/);
    await page.clickStatus(/Agent: unavailable/);
    await page.report.says(
      /No sandbox can be started yet[^]*Image: problem[^]*There is no image[^]*Pull Image[^]*Select Image/,
    );
    await page.screenshot('a problem');
  });

  it('takes a file, after a first run without network', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Select Image…');
    await page.chooseFirst(title);
    await page.answerInputBox('Choose the file of an image', image, /\/$/);
    await page.notificationSays(/use .*chosen\.sif from now on. It has no opencode/);
    await page.statusSays(/Agent: ready/);
    await page.screenshot('chosen');
  });

  it('says that all is well once a container was started', async () => {
    const { page } = workbench();
    await page.report.press('Check Again');
    await page.report.says(/A sandbox can be started\.[^]*A container was started without network/);
    await page.screenshot('all is well');
  });

  it('refuses the file once it is another one, until that is confirmed', async () => {
    const { page } = workbench();
    await page.runCommand('Notifications: Clear All Notifications');
    appendFileSync(image, 'more');
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.notificationSays(/is not the file any more that was recorded/);
    await page.answerNotification(/is not the file any more/, 'Select Image…');
    await page.screenshot('changed');
    await page.notificationIsGone(/from now on/);
    await page.chooseFirst(title);
    await page.questions.answerDialog(/has replaced it/, 'Use Changed Image');
    await page.notificationSays(/from now on/);
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated/);
    const processes = await workbench().sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench().gone(processes);
  });
});

describe('Pull Image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pull-'));
  let registry: ImageRegistry;
  // a package manager that makes programs instead of fetching them
  const apk =
    "for name in git bash python3 rg less ps; do printf '#!/bin/sh\\necho 1.0\\n' >/bin/$name; /bin/busybox chmod 755 /bin/$name; done";
  const content = (padding: Buffer): OciImage =>
    smallOciImage(mkdtempSync(join(folder, 'content-')), padding, undefined, { apk });
  before(async () => {
    for (const name of ['cache', 'temporary']) mkdirSync(join(folder, name));
    registry = await ImageRegistry.start(join(folder, 'registry'));
    await pushOciImage(`http://${registry.host}`, 'agent', '1', content(randomBytes(3_000_000)));
  });
  const workbench = useWorkbench(() => ({
    name: 'pull',
    configuresModel: false,
    folderName: 'analysis',
    environment: { APPTAINER_CACHEDIR: join(folder, 'unused'), APPTAINER_TMPDIR: join(folder, 'unused') },
    settings: {
      'sandboxedAgent.image': '',
      'sandboxedAgent.imageSource': `docker://${registry.host}/agent:1`,
      'sandboxedAgent.apptainerCacheFolder': join(folder, 'cache'),
      'sandboxedAgent.apptainerTemporaryFolder': join(folder, 'temporary'),
    },
  }));
  after(async () => {
    await registry.stop();
    rmSync(folder, { recursive: true });
  });

  it('fetches the image, tries it out, and uses it', async () => {
    const { page } = workbench();
    await page.statusSays(/Agent: unavailable/);
    await page.runCommand('Sandboxed Agent: Pull Image');
    await page.notificationSays(/The image is ready, but it is thin/);
    await page.statusSays(/Agent: ready/);
    await page.runCommand('Sandboxed Agent: Select Image…');
    await page.screenshot('recorded');
    await page.listSays(
      'Select the image for sandboxes',
      /opencode\.sif[^]*in use, opencode 1\.18\.33[^]*agent:1/,
    );
    assert.deepEqual(readdirSync(join(folder, 'cache')), ['cache']);
    assert.ok(!existsSync(join(folder, 'unused')));
  });

  it('completes it, after a word on what a build can do', async () => {
    const { page } = workbench();
    await page.closeList();
    await page.answerNotification(/it is thin/, 'Complete Image');
    await page.questions.answerDialog(/outside of every sandbox/, 'Build');
    await page.notificationSays(/The image is complete/);
    await page.runCommand('Sandboxed Agent: Complete Image');
    await page.notificationSays(/Nothing is missing/);
    await page.screenshot('complete');
  });

  it('says whether there is a newer one than that on which the image was built, and pulls it', async () => {
    const { page } = workbench();
    await page.runCommand('Notifications: Clear All Notifications');
    await page.runCommand('Sandboxed Agent: Check for Image Update');
    await page.notificationSays(/up to date/);
    await pushOciImage(`http://${registry.host}`, 'agent', '1', content(randomBytes(2_000_000)));
    await page.runCommand('Sandboxed Agent: Check for Image Update');
    await page.notificationSays(/There is a newer image at docker:/);
    await page.screenshot('a newer one');
    await page.answerNotification(/There is a newer image/, 'Pull Image');
    await page.notificationSays(/The image is ready, but it is thin/);
    await page.runCommand('Notifications: Clear All Notifications');
    await page.runCommand('Sandboxed Agent: Check for Image Update');
    await page.notificationSays(/up to date/);
  });
});

describe('Pull Image, while the extension host is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'killed-'));
  let registry: ImageRegistry;
  let slow: SlowProxy;
  before(async () => {
    mkdirSync(join(folder, 'tmp'));
    registry = await ImageRegistry.start(join(folder, 'registry'));
    const image = smallOciImage(join(folder, 'content'), randomBytes(30_000_000));
    await pushOciImage(`http://${registry.host}`, 'agent', '1', image);
    slow = await SlowProxy.start(registry.host, 2_000_000);
  });
  const workbench = useWorkbench(() => ({
    name: 'killed pull',
    configuresModel: false,
    folderName: 'analysis',
    environment: { APPTAINER_CACHEDIR: join(folder, 'cache'), APPTAINER_TMPDIR: join(folder, 'tmp') },
    settings: {
      'sandboxedAgent.image': '',
      'sandboxedAgent.imageSource': `docker://${slow.host}/agent:1`,
    },
  }));
  after(async () => {
    slow.stop();
    await registry.stop();
    rmSync(folder, { recursive: true });
  });

  it('leaves nothing after the next window has looked', async () => {
    const { page, storageFolder } = workbench();
    await page.runCommand('Sandboxed Agent: Pull Image');
    await page.notificationSays(/Downloading: [1-9][\d.]* of \d/);
    const images = (): string[] => readdirSync(join(storageFolder, 'images'));
    assert.equal(readdirSync(join(folder, 'tmp')).length, 1);
    const host = await workbench().extensionHost();
    process.kill(host.pid, 'SIGKILL');
    await waitUntil('the extension host is gone', () => stillRunning([host]).length === 0);
    assert.ok(!images().includes('opencode.sif'));
    await page.reload();
    await page.statusSays(/Agent: unavailable/);
    await waitUntil('what it left is gone', () => readdirSync(join(folder, 'tmp')).length === 0);
    await waitUntil('what it left is gone', () => images().length === 0);
    const left = ownProcesses().filter(({ commandLine }) => commandLine.includes(slow.host));
    assert.deepEqual(stillRunning(left), []);
  });
});
