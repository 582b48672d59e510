import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { removeDemoFile, writeDemoFile } from '../../../scripts/try/demoFile';
import { findProjectModel } from '../../../scripts/try/projectModel';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const demoUrl = 'http://127.0.0.1:1234/v1';

describe('model of a project', () => {
  const folder = useTemporaryFolder();
  const file = (): string => join(folder(), 'opencode.json');
  const configure = (configuration: unknown): void => writeFileSync(file(), JSON.stringify(configuration));
  const provider = (baseURL?: string) => ({
    provider: { p: baseURL === undefined ? {} : { options: { baseURL } } },
  });
  let server: Server;
  let address: string;

  beforeEach(async () => {
    server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('is none without a configuration, or with one that names no model', async () => {
    assert.deepEqual(await findProjectModel(folder()), { kind: 'none' });
    configure({ theme: 'x', provider: {} });
    assert.deepEqual(await findProjectModel(folder()), { kind: 'none' });
    writeFileSync(file(), 'no JSON ' + '['.repeat(100_000));
    assert.deepEqual(await findProjectModel(folder()), { kind: 'none' });
  });

  it('is configured when a server listens, or opencode knows where it is', async () => {
    configure(provider(address));
    assert.deepEqual(await findProjectModel(folder()), { kind: 'configured' });
    for (const configuration of [{ model: 'a/b' }, provider(), provider('{env:ADDRESS}')]) {
      configure(configuration);
      assert.deepEqual(await findProjectModel(folder()), { kind: 'configured' });
    }
  });

  it('is unreachable when its server refuses', async () => {
    await new Promise((resolve) => server.close(resolve));
    configure(provider(address));
    assert.deepEqual(await findProjectModel(folder()), { kind: 'unreachable', addresses: [address] });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  it('does not count the demo model', async () => {
    assert.equal(await writeDemoFile(folder(), demoUrl), true);
    assert.deepEqual(await findProjectModel(folder()), { kind: 'none' });
  });

  describe('demo file', () => {
    it('is replaced and removed while it is ours', async () => {
      await writeDemoFile(folder(), demoUrl);
      await writeDemoFile(folder(), 'http://127.0.0.1:99/v1');
      assert.match(readFileSync(file(), 'utf8'), /127\.0\.0\.1:99\//);
      await removeDemoFile(folder());
      assert.equal(existsSync(file()), false);
    });

    it('leaves a file of the user as it is', async () => {
      configure({ model: 'mine/own' });
      assert.equal(await writeDemoFile(folder(), demoUrl), false);
      await removeDemoFile(folder());
      assert.equal(readFileSync(file(), 'utf8'), '{"model":"mine/own"}');
    });

    it('does not write through a link', async () => {
      const target = join(folder(), 'target');
      symlinkSync(target, file());
      assert.equal(await writeDemoFile(folder(), demoUrl), false);
      assert.equal(existsSync(target), false);
    });
  });
});
