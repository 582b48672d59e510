import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { pullImage } from '../../src/apptainer/pull';
import type { PullRequest } from '../../src/apptainer/pullRequest';
import { isSifFile } from '../../src/apptainer/sif';
import { withProxyVariables } from '../../src/gateway/proxyVariables';
import { formatMessage } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';
import { apptainer } from '../support/environment';
import { ImageRegistry, smallOciImage } from '../support/imageRegistry';
import { pushOciImage } from '../support/ociImage';
import { ownProcesses } from '../support/processes';
import { projectFile } from '../support/projectFile';
import { forwardTo, SlowProxy } from '../support/slowProxy';
import { World } from '../support/world';
import { TestFolders } from './support/sandboxUnderTest';

/** Public, and never asked for: only the proxy knows the way. */
const site = 'registry.example.org';

describe('what is between a pull and its registry', () => {
  let folders: TestFolders;
  let registry: ImageRegistry;

  before(async () => {
    folders = new TestFolders();
    for (const name of ['images', 'tmp']) mkdirSync(join(folders.root, name));
    registry = await ImageRegistry.start(join(folders.root, 'registry'));
    const image = smallOciImage(join(folders.root, 'content'), randomBytes(12_000_000));
    await pushOciImage(`http://${registry.host}`, 'image', '1', image);
  });
  after(async () => {
    await registry.stop();
    folders.remove();
  });

  /** Of every pull in which nothing may be known of the others. */
  let caches = 0;
  function request(host: string, changes: Partial<PullRequest> = {}): PullRequest {
    caches += 1;
    return {
      ...{ apptainer: apptainer(), source: `docker://${host}/image:1` },
      target: join(folders.root, `images/${caches}.sif`),
      ptyModules: [projectFile('node_modules/node-pty')],
      ...changes,
      environment: {
        HOME: folders.root,
        APPTAINER_CACHEDIR: join(folders.root, `cache${caches}`),
        APPTAINER_TMPDIR: join(folders.root, 'tmp'),
        ...changes.environment,
      },
    };
  }

  async function failsWith(code: string, pull: PullRequest): Promise<void> {
    await assert.rejects(pullImage(pull), (error: unknown) => {
      assert(error instanceof UserError, String(error));
      assert.equal(error.code, code, String(error.cause));
      return true;
    });
    assert.equal(
      readdirSync(join(folders.root, 'images')).filter((name) => name.startsWith(`${caches}.`)).length,
      0,
    );
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
  }

  it('a registry that is killed half way: it fails, and nothing is left', async () => {
    const other = await ImageRegistry.start(join(folders.root, 'registry'));
    const slow = await SlowProxy.start(other.host, 4_000_000);
    let killed: Promise<void> | undefined;
    const pull = request(slow.host, {
      onProgress({ percent }) {
        if (percent < 20) return;
        killed ??= other.stop().then(() => slow.stop());
      },
    });
    await failsWith('pull.brokenOff', pull);
    assert.ok(killed);
    await killed;
  });

  it('a registry that takes no more pulls: it is said, as soon as Apptainer gives up', async () => {
    const limiting = await SlowProxy.limiting(registry.host, (path) => path.includes('/blobs/'), 1);
    await failsWith('pull.rateLimit', request(limiting.host));
    limiting.stop();
  });

  it('a registry that has one wait: that it does not answer is said, and the pull goes on afterwards', async () => {
    let refused = 0;
    const isLimited = (path: string): boolean => path.includes('/manifests/') && (refused += 1) === 1;
    const limiting = await SlowProxy.limiting(registry.host, isLimited, 8);
    const texts: string[] = [];
    const onProgress: PullRequest['onProgress'] = ({ text }) => texts.push(formatMessage(text));
    const pull = request(limiting.host, { onProgress });
    await pullImage(pull);
    limiting.stop();
    assert.ok(await isSifFile(pull.target));
    assert.match(texts[0] ?? '', /^The registry has not answered for \d s\./);
    assert.match(texts.join('\n'), /Downloading: [\d.]+ of \d/);
  });

  describe('a proxy, which alone knows the way', () => {
    const credentials = 'me:hunter2-7a21';
    let world: World;
    let proxy: string;
    before(async () => {
      world = new World(join(folders.root, 'world'));
      await world.site(site, '93.184.215.14', forwardTo(registry.host));
      proxy = await world.siteProxy(`Basic ${Buffer.from(credentials).toString('base64')}`);
    });
    after(() => world.close());

    const through = (address: string): PullRequest =>
      request(site, { environment: { https_proxy: address, SSL_CERT_FILE: world.authority } });

    it('sees the pull, which works', async () => {
      const pull = through(proxy.replace('//', `//${credentials}@`));
      await pullImage(pull);
      assert.ok(await isSifFile(pull.target));
      assert.ok(world.proxied.length > 0);
      assert.deepEqual([...new Set(world.proxied)], [`CONNECT ${site}:443`]);
      assert.ok(world.requests.some(({ url }) => url.includes('/blobs/')));
    });

    it('of VS Code’s settings is the same, and its password is in no argument and no line', async () => {
      const settled = (password: string): PullRequest['environment'] =>
        withProxyVariables({
          httpProxySetting: proxy,
          authorizationSetting: `Basic ${Buffer.from(password).toString('base64')}`,
          environment: { SSL_CERT_FILE: world.authority },
        });
      const told: string[] = [];
      const look = (): void => ownProcesses().forEach(({ commandLine }) => told.push(commandLine));
      const listen = { onLine: (line: string) => told.push(line), onProgress: look };
      const asked = world.proxied.length;
      const pull = request(site, { environment: settled(credentials), ...listen });
      await pullImage(pull);
      assert.ok(await isSifFile(pull.target));
      assert.ok(world.proxied.length > asked);
      const wrong = request(site, { environment: settled('me:hunter2-wrong'), ...listen });
      await assert.rejects(pullImage(wrong), (error: unknown) => {
        assert(error instanceof UserError && error.code === 'pull.proxy', String(error));
        told.push(inspect(error, { depth: 10 }));
        return true;
      });
      assert.match(told.join('\n'), /pull --arch/);
      assert.doesNotMatch(told.join('\n'), /hunter2/);
    });

    it('refuses who has no password, and it is said that it was the proxy', async () => {
      await failsWith('pull.proxy', through(proxy));
    });

    it('refuses the registry, or is not there: the same', async () => {
      const refusing = createServer();
      refusing.on('connect', (_request, client: Socket) => client.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
      refusing.listen(0, '127.0.0.1');
      await once(refusing, 'listening');
      const address = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
      await failsWith('pull.proxy', through(address));
      refusing.close();
      await once(refusing, 'close');
      await failsWith('pull.proxy', through(address));
    });
  });
});
