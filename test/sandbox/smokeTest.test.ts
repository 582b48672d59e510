import assert from 'node:assert/strict';
import { readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBare } from '../../src/apptainer/bareRun';
import { smokeTest } from '../../src/apptainer/smokeTest';
import { Cancelled } from '../../src/sandbox/userError';
import { apptainer, image, shellImage } from '../support/environment';
import { ourTemporaryNames } from '../support/temporaryNames';
import { plainCommand } from './support/plainCommand';
import { TestFolders } from './support/sandboxUnderTest';

describe('the first run of an image', () => {
  const environment = { HOME: process.env['HOME'], APPTAINER_BIND: '/etc/hostname:/leak' };
  const leftovers = (): string[] => ourTemporaryNames(/^sandboxed-agent-bare-/);

  it('tells the version of its opencode', async () => {
    const result = await smokeTest({ apptainer: apptainer(), image: image(), environment });
    assert.match(result.kind === 'works' ? result.opencodeVersion : result.kind, /^\d+\.\d+\.\d+/);
  });

  it('tells that there is none', async () => {
    assert.deepEqual(await smokeTest({ apptainer: apptainer(), image: shellImage(), environment }), {
      kind: 'noOpencode',
    });
  });

  it('tells why there is no container', async () => {
    const folders = new TestFolders();
    const file = join(folders.root, 'x.sif');
    writeFileSync(file, 'no image');
    const result = await smokeTest({ apptainer: apptainer(), image: file, environment });
    folders.remove();
    assert.equal(result.kind === 'failed' && result.failure?.topic, 'image');
  });

  it('reaches nothing of this computer, which the plain command does', async () => {
    const command = ['/bin/sh', '-c', 'readlink /proc/self/ns/net; ls /leak 2>&1'];
    const { stdout } = await runBare({
      ...{ apptainer: apptainer(), image: shellImage(), environment, timeoutMilliseconds: 60_000, command },
    });
    const network = readlinkSync('/proc/self/ns/net');
    assert.match(stdout, /^net:\[\d+\]$/m);
    assert.ok(!stdout.includes(network), stdout);
    assert.doesNotMatch(stdout, /^\/leak$/m);
    const plain = plainCommand({ APPTAINER_BIND: '/etc/hostname:/leak' }, ...command);
    assert.ok(plain.includes(network) && /^\/leak$/m.test(plain), plain);
  });

  it('can be cancelled, and leaves nothing', async () => {
    const before = leftovers();
    const cancel = new AbortController();
    const run = runBare({
      ...{ apptainer: apptainer(), image: shellImage(), environment, timeoutMilliseconds: 60_000 },
      ...{ command: ['/bin/sh', '-c', 'sleep 600'], signal: cancel.signal },
    });
    setTimeout(() => cancel.abort(), 500);
    await assert.rejects(run, Cancelled);
    assert.deepEqual(leftovers(), before);
  });
});
