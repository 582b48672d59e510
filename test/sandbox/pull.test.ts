import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pullImage } from '../../src/apptainer/pull';
import type { PullRequest } from '../../src/apptainer/pullRequest';
import { runProcess } from '../../src/host/runProcess';
import { formatMessage } from '../../src/sandbox/message';
import { Cancelled, UserError } from '../../src/sandbox/userError';
import { apptainer, image, registry, shellImage } from '../support/environment';
import { plainEnvironment } from './support/plainCommand';
import { TestFolders } from './support/sandboxUnderTest';

describe('pulling an image from a registry', () => {
  let folders: TestFolders;
  let server: ChildProcess;
  let address: string;
  let images: string;

  before(async () => {
    folders = new TestFolders();
    images = join(folders.root, 'images');
    mkdirSync(images);
    const configuration = join(folders.root, 'registry.yml');
    // JSON is YAML; port 0 takes a free one, which the log names
    writeFileSync(
      configuration,
      JSON.stringify({
        version: 0.1,
        storage: { filesystem: { rootdirectory: join(folders.root, 'storage') } },
        http: { addr: '127.0.0.1:0' },
      }),
    );
    server = spawn(registry(), ['serve', configuration], { env: {}, stdio: ['ignore', 'ignore', 'pipe'] });
    assert.ok(server.stderr);
    for await (const line of createInterface({ input: server.stderr })) {
      const port = /listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port) {
        address = `oras://127.0.0.1:${port}`;
        break;
      }
    }
    server.stderr.resume();
    await push(shellImage(), 'shell');
    await push(image(), 'agent');
  });

  after(async () => {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
    folders.remove();
  });

  async function push(file: string, name: string): Promise<void> {
    const pushed = await runProcess({
      file: apptainer(),
      args: ['push', file, `${address}/${name}:1`],
      env: plainEnvironment(),
      cwd: '/',
      timeoutMilliseconds: 60_000,
      maximumOutputBytes: 10_000,
    });
    assert.equal(pushed.exitCode, 0, pushed.stderr);
  }

  const request = (name: string, changes: Partial<PullRequest> = {}): PullRequest => ({
    apptainer: apptainer(),
    source: `${address}/${name}:1`,
    target: join(images, `${name}.sif`),
    environment: { HOME: folders.root, APPTAINER_CACHEDIR: join(folders.root, 'cache') },
    ...changes,
  });

  it('gets the very file, and leaves nothing beside it', async () => {
    const stages: string[] = [];
    await pullImage(request('shell', { onProgress: ({ text }) => stages.push(formatMessage(text)) }));
    assert.ok(readFileSync(join(images, 'shell.sif')).equals(readFileSync(shellImage())));
    assert.deepEqual(readdirSync(images), ['shell.sif']);
    assert.ok(stages.length > 0, 'something was said meanwhile');
  });

  it('leaves the image that was there when it is cancelled, and nothing else', async () => {
    writeFileSync(join(images, 'agent.sif'), 'the old one');
    const cancel = new AbortController();
    await assert.rejects(
      pullImage(request('agent', { signal: cancel.signal, onProgress: () => cancel.abort() })),
      Cancelled,
    );
    assert.equal(readFileSync(join(images, 'agent.sif'), 'utf8'), 'the old one');
    assert.deepEqual(readdirSync(images).sort(), ['agent.sif', 'shell.sif']);
  });

  it('says that there is no such image', async () => {
    await assert.rejects(
      pullImage(request('nothing')),
      (error: unknown) => error instanceof UserError && error.code === 'pull.notFound',
    );
    assert.deepEqual(readdirSync(images).sort(), ['agent.sif', 'shell.sif']);
  });
});
