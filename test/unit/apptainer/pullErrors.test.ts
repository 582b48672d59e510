import assert from 'node:assert/strict';
import { explainPullFailure } from '../../../src/apptainer/pullErrors';
import { assertNoSlower } from '../../support/linearWork';

/** What Apptainer printed when it was made to fail in each way. */
const texts: Record<string, readonly string[]> = {
  'pull.unauthorized': [
    'FATAL:   While making image from oci registry: error fetching image: while building SIF from layers: conveyor failed to get: reading manifest latest in ghcr.io/a/b: unauthorized',
    'FATAL: conveyor failed to get: pinging container registry ghcr.io: denied: denied',
    'FATAL: reading manifest 1 in docker.io/a/b: requested access to the resource is denied',
  ],
  'pull.notFound': [
    'FATAL: conveyor failed to get: reading manifest nosuch in ghcr.io/a/b: manifest unknown',
  ],
  'pull.rateLimit': [
    'FATAL: reading manifest latest in docker.io/library/alpine: toomanyrequests: You have reached your pull rate limit. unauthorized',
    'FATAL: conveyor failed to get: GET http://r/v2/a/blobs/sha256:30: unexpected status code 429 Too Many Requests',
    'FATAL: failed to get checksum for docker://r/a:1: pinging container registry r: StatusCode: 429, ""',
  ],
  'pull.proxy': [
    'FATAL: pinging container registry ghcr.io: Get "https://ghcr.io/v2/": Proxy Authentication Required',
    'FATAL: pinging container registry ghcr.io: Get "https://ghcr.io/v2/": Forbidden',
    'FATAL: Get "https://ghcr.io/v2/": proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused',
  ],
  'pull.registryFails': [
    'FATAL: conveyor failed to get: GET http://r/v2/a/blobs/sha256:30: unexpected status code 503 Service Unavailable',
    'FATAL: failed to get checksum for docker://r/a:1: pinging container registry r: StatusCode: 500, ""',
  ],
  'pull.corrupt': [
    'FATAL: conveyor failed to get: error writing layer: error verifying sha256 checksum after reading 1003688 bytes; got "sha256:c8", want "sha256:3f"',
  ],
  'pull.brokenOff': ['FATAL: conveyor failed to get: error writing layer: unexpected EOF'],
  'pull.noHttps': ['FATAL: Get "https://r:5000/v2/": http: server gave HTTP response to HTTPS client'],
  'pull.certificate': [
    'FATAL: Get "https://r/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  'pull.unreachable': [
    'FATAL: Get "https://r/v2/": dial tcp 127.0.0.1:1: connect: connection refused',
    'FATAL: Get "https://r/v2/": dial tcp: lookup r on 10.0.0.1:53: no such host',
    'FATAL: Get "https://r/v2/": dial tcp 10.0.0.1:443: i/o timeout',
  ],
  'pull.noSpace': [
    'FATAL: packer failed to pack: unpack to regular file: short write: write /scratch/build-temp-1/rootfs/x: no space left on device',
  ],
  'pull.cacheFull': [
    'FATAL: conveyor failed to get: error writing layer: write /home/ada/.apptainer/cache/blob/blobs/sha256/x: no space left on device',
    'FATAL: conveyor failed to get: write /home/ada/.apptainer/cache/blob/x: disk quota exceeded',
  ],
  'pull.targetFull': [
    'FATAL: error copying image out of cache: could not copy file: write /data/tmp-copy-1: no space left on device',
  ],
  'pull.targetNotWritable': [
    'FATAL: error copying image out of cache: could not open temporary file for copy: open /data/tmp-copy-1: permission denied',
  ],
  'pull.noexec': [
    "FATAL: 'noexec' mount option set on /tmp, temporary root filesystem won't be usable at this location",
  ],
  'pull.noTemporaryFolder': [
    'FATAL: failed to create build parent dir: stat /missing: no such file or directory',
  ],
  'pull.noMksquashfs': [
    'FATAL: while searching for mksquashfs: exec: "mksquashfs": executable file not found in $PATH',
  ],
  'pull.wrongArchitecture': ["FATAL: the image's architecture (amd64) could not run on the host's (arm64)"],
  'pull.failed': ['', 'FATAL: something that nobody has seen before'],
};

/** Where something else is to be chosen. */
const settings: Record<string, string> = {
  'pull.noSpace': 'sandboxedAgent.apptainerTemporaryFolder',
  'pull.noexec': 'sandboxedAgent.apptainerTemporaryFolder',
  'pull.noTemporaryFolder': 'sandboxedAgent.apptainerTemporaryFolder',
  'pull.cacheFull': 'sandboxedAgent.apptainerCacheFolder',
};

describe('explainPullFailure', () => {
  for (const [code, stderrs] of Object.entries(texts)) {
    it(`knows ${code}`, () => {
      for (const stderr of stderrs) {
        const text = `INFO:    Converting OCI blobs to SIF format\n${stderr}\n`;
        const error = explainPullFailure(text, 'docker://ghcr.io/a/b', '/data/x.sif', new Error('cause'));
        assert.equal(error.code, code, stderr);
        const login = { kind: 'runCommand', command: 'sandboxedAgent.registryLogin' };
        const needsLogin = ['pull.unauthorized', 'pull.rateLimit'].includes(code);
        const setting = settings[code];
        const other = setting === undefined ? { kind: 'showLog' } : { kind: 'openSetting', setting };
        assert.deepEqual(error.action, needsLogin ? login : other);
      }
    });
  }

  it('takes no longer for what a proxy made to cost much', () => {
    const output = (part: string): string => `FATAL: Get "https://x": Forbidden${part.repeat(20_000)}!`;
    const explain = (text: string): void => {
      assert.equal(explainPullFailure(text, 'source', 'target', undefined).code, 'pull.failed');
    };
    assertNoSlower(explain, output(' '), output('.'));
  });

  const beginnings = [
    'opening.partial',
    '/cache/',
    'error writing layer',
    'copying image out of cache',
    '.partial',
  ];
  for (const part of beginnings) {
    it(`takes no longer for ${JSON.stringify(part)} again and again, as a registry can answer`, () => {
      const output = (text: string): string =>
        `FATAL: unknown: ${text.repeat(64_000 / text.length)}`.slice(0, 60_000);
      const explain = (text: string): void =>
        assert.equal(explainPullFailure(text, 'source', 'target', undefined).code, 'pull.failed');
      assertNoSlower(explain, output(part), output('x'));
    });
  }

  it('repeats nothing that a registry wrote', () => {
    const stderr = 'FATAL: reading manifest: unauthorized: [click](command:evil)';
    const error = explainPullFailure(stderr, 'docker://ghcr.io/a/b', '/data/x.sif', new Error(stderr));
    assert.doesNotMatch(error.message, /evil/);
  });
});
