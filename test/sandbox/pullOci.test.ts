import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { pullImage } from '../../src/apptainer/pull';
import type { PullRequest } from '../../src/apptainer/pullRequest';
import type { PullProgress } from '../../src/apptainer/pullOutput';
import { loginToRegistry } from '../../src/apptainer/registryLogin';
import { parseVersion } from '../../src/apptainer/version';
import { sifArchitecture } from '../../src/apptainer/sif';
import { smokeTest } from '../../src/apptainer/smokeTest';
import { registryDigest, sourceDigest } from '../../src/apptainer/sourceDigest';
import { ownerMark } from '../../src/host/ownedFolder';
import { formatMessage } from '../../src/sandbox/message';
import { Cancelled, UserError } from '../../src/sandbox/userError';
import { apptainer } from '../support/environment';
import { ImageRegistry, smallOciImage } from '../support/imageRegistry';
import { type OciImage, pushIndex, pushOciImage } from '../support/ociImage';
import { projectFile } from '../support/projectFile';
import { SlowProxy } from '../support/slowProxy';
import { TestFolders } from './support/sandboxUnderTest';

const version = parseVersion('apptainer version 1.4.5') ?? assert.fail();

describe('pulling an image of layers, with numbers', () => {
  let folders: TestFolders;
  let registry: ImageRegistry;
  let good: OciImage;
  let digest: string;
  const own = process.arch === 'arm64' ? 'arm64' : 'amd64';

  before(async () => {
    folders = new TestFolders();
    for (const name of ['images', 'tmp']) mkdirSync(join(folders.root, name));
    registry = await ImageRegistry.start(join(folders.root, 'registry'));
    good = smallOciImage(join(folders.root, 'good'), randomBytes(12_000_000));
    digest = await push('good', '1', good);
  });
  after(async () => {
    await registry.stop();
    folders.remove();
  });

  const push = (name: string, reference: string, image: OciImage): Promise<string> =>
    pushOciImage(`http://${registry.host}`, name, reference, image);

  /** Of every pull in which nothing may be known of the others. */
  let caches = 0;
  function request(name: string, changes: Partial<PullRequest> = {}): PullRequest {
    caches += 1;
    return {
      apptainer: apptainer(),
      source: `docker://${registry.host}/${name}`,
      target: join(folders.root, 'images', 'x.sif'),
      environment: {
        HOME: folders.root,
        APPTAINER_CACHEDIR: join(folders.root, `cache${caches}`),
        APPTAINER_TMPDIR: join(folders.root, 'tmp'),
      },
      ptyModules: [projectFile('node_modules/node-pty')],
      ...changes,
    };
  }

  function assertOnly(...names: string[]): void {
    assert.deepEqual(readdirSync(join(folders.root, 'images')), names);
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
  }

  async function failsWith(code: string, pull: PullRequest): Promise<UserError> {
    const error = await pullImage(pull).then(
      () => assert.fail('it did not fail'),
      (reason: unknown) => reason,
    );
    assert(error instanceof UserError, String(error));
    assert.equal(error.code, code, String(error.cause));
    assertOnly();
    return error;
  }

  it('says nothing that it does not know when it is cancelled half way, and leaves nothing', async () => {
    const slow = await SlowProxy.start(registry.host, 4_000_000);
    const cancel = new AbortController();
    const seen: PullProgress[] = [];
    const pull = request('good:1', {
      source: `docker://${slow.host}/good:1`,
      signal: cancel.signal,
      onProgress(progress) {
        seen.push(progress);
        if (progress.percent > 30) cancel.abort();
      },
    });
    await assert.rejects(pullImage(pull), Cancelled);
    slow.stop();
    assertOnly();
    assert.match(
      seen.map(({ text }) => formatMessage(text)).join('\n'),
      /Downloading: [1-9][\d.]* of 1\d\.\d MB, [1-9]/,
    );
    assert.ok(seen.every(({ percent }, index) => percent >= (seen[index - 1]?.percent ?? 0)));
    assert.ok(seen.every(({ percent }) => percent < 75));
  });

  it('fails when the registry breaks off, and leaves nothing', async () => {
    const broken = await SlowProxy.start(registry.host, 1e9, 3_000_000);
    await failsWith('pull.brokenOff', request('', { source: `docker://${broken.host}/good:1` }));
    broken.stop();
  });

  it('refuses an image for another processor, which Apptainer takes without a word', async () => {
    const foreign = smallOciImage(join(folders.root, 'foreign'), randomBytes(10), (busybox) => {
      // e_machine in the header of an ELF file: EM_AARCH64, or EM_X86_64
      busybox.writeUInt16LE(own === 'amd64' ? 183 : 62, 18);
      return busybox;
    });
    await push('foreign', '1', { ...foreign, architecture: own === 'amd64' ? 'arm64' : 'amd64' });
    await failsWith('pull.wrongArchitecture', request('foreign:1'));
    // nor is one that is labelled as it should be
    await push('mislabelled', '1', foreign);
    await failsWith('pull.wrongArchitecture', request('mislabelled:1'));
  });

  it('refuses a layer that is not what the manifest says', async () => {
    const image = smallOciImage(join(folders.root, 'corrupt'), randomBytes(1_000_000));
    await push('corrupt', '1', image);
    const blobs = join(registry.storage, 'docker/registry/v2/blobs/sha256');
    const paths = readdirSync(blobs, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('data'))
      .map((path) => join(blobs, path));
    const layer = paths.find((path) => image.layers[1]?.equals(readFileSync(path)));
    assert(layer);
    const content = readFileSync(layer);
    content.writeUInt8(content.readUInt8(500_000) ^ 1, 500_000);
    writeFileSync(layer, content);
    await failsWith('pull.corrupt', request('corrupt:1'));
  });

  it('says that it needs a login, and takes one tag that does not exist for what it is', async () => {
    // htpasswd -nbB somebody sesame
    const hash = '$2b$05$abcdefghijklmnopqrstuuKcS.CYWVYVaLiiCKrrc0A5s3mGesJ9O';
    const closed = await ImageRegistry.start(join(folders.root, 'closed'), `somebody:${hash}\n`);
    const basic = `Basic ${Buffer.from('somebody:sesame').toString('base64')}`;
    await pushOciImage(`http://${closed.host}`, 'good', '1', good, basic);
    const pull = request('', { source: `docker://${closed.host}/good:1` });
    await failsWith('pull.unauthorized', pull);
    const { apptainer: program, environment } = pull;
    const login = { apptainer: program, version, environment, host: closed.host, user: 'somebody' };
    // Apptainer 1.4 believes every password of a registry on this computer, and only the pull tells
    await loginToRegistry({ ...login, password: 'wrong' });
    await failsWith('pull.unauthorized', pull);
    await loginToRegistry({ ...login, password: 'sesame' });
    await pullImage(pull);
    assertOnly('x.sif');
    rmSync(pull.target);
    await closed.stop();
    await failsWith('pull.notFound', request('good:2'));
  });

  it('takes the image for this processor out of an index, and tells its digest', async () => {
    const tag = await pushIndexOf();
    const pull = request(`many:1`);
    await pullImage(pull);
    assertOnly('x.sif');
    assert.equal(await sifArchitecture(pull.target), process.arch);
    assert.equal(await sourceDigest({ ...pull, version, image: pull.target }), tag);
  });

  async function pushIndexOf(): Promise<string> {
    const foreign = await push('many', 'foreign', {
      ...good,
      architecture: own === 'amd64' ? 'arm64' : 'amd64',
    });
    const ours = await push('many', 'ours', good);
    const images = [];
    for (const [each, architecture] of [
      [foreign, own === 'amd64' ? 'arm64' : 'amd64'],
      [ours, own],
    ] as const) {
      const response = await fetch(`http://${registry.host}/v2/many/manifests/${each}`, {
        headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
      });
      images.push({ digest: each, size: (await response.arrayBuffer()).byteLength, architecture });
    }
    return pushIndex(`http://${registry.host}`, 'many', '1', images);
  }

  it('is told which image a tag is now, without pulling or keeping anything', async () => {
    const pull = request('moving:1');
    const first = await push('moving', '1', good);
    assert.equal(await registryDigest({ ...pull, version }), first);
    // an index has a digest of its own
    const index = await pushIndexOf();
    assert.equal(await registryDigest({ ...request('many:1'), version }), index);
    const second = await push('moving', '1', { ...good, layers: good.layers.slice(0, 1) });
    assert.notEqual(second, first);
    assert.equal(await registryDigest({ ...pull, version }), second);
    assert.equal(existsSync(String(pull.environment['APPTAINER_CACHEDIR'])), false);
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
    const ours = `sandboxed-agent-digest-${await ownerMark()}`;
    assert.ok(!readdirSync('/tmp').some((name) => name.startsWith(ours)));
  });

  it('says why a registry does not tell which image a tag is', async () => {
    const asked = async (source: string): Promise<string> => {
      const error = await registryDigest({ ...request(''), version, source }).then(
        () => assert.fail('it was told'),
        (reason: unknown) => reason,
      );
      assert(error instanceof UserError, String(error));
      return error.code;
    };
    assert.equal(await asked(`docker://${registry.host}/good:none`), 'pull.notFound');
    const closed = await ImageRegistry.start(join(folders.root, 'shut'), 'somebody:$2b$05$x\n');
    assert.equal(await asked(`docker://${closed.host}/good:1`), 'pull.unauthorized');
    await closed.stop();
    assert.equal(await asked(`docker://${closed.host}/good:1`), 'pull.unreachable');
  });

  it('stops asking when it is cancelled', async () => {
    const cancel = new AbortController();
    const mute = createServer();
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    mute.once('connection', () => cancel.abort());
    const { port } = mute.address() as AddressInfo;
    const source = `docker://127.0.0.1:${port}/good:1`;
    await assert.rejects(
      registryDigest({ ...request(''), version, source, signal: cancel.signal }),
      Cancelled,
    );
    mute.close();
  });

  it('pulls by digest, tries it out, and two at once do not disturb each other', async () => {
    const texts: string[] = [];
    const pulls = [1, 2].map(() =>
      request('', {
        source: `docker://${registry.host}/good@${digest}`,
        onProgress: ({ text }) => texts.push(formatMessage(text)),
      }),
    );
    await Promise.all(pulls.map(pullImage));
    assertOnly('x.sif');
    const [pull] = pulls;
    assert(pull);
    assert.equal(await sourceDigest({ ...pull, version, image: pull.target }), digest);
    assert.ok(statSync(pull.target).size > 12_000_000);
    assert.match(texts.join('\n'), /Unpacking[^]*Writing the image: \d+ %/);
    const { apptainer: program, environment, target } = pull;
    assert.deepEqual(await smokeTest({ apptainer: program, image: target, environment }), {
      kind: 'works',
      opencodeVersion: '1.18.33',
    });
  });
});
