import assert from 'node:assert/strict';
import { checkImageSource } from '../../../src/apptainer/imageSource';
import { UserError } from '../../../src/sandbox/userError';

describe('checkImageSource', () => {
  it('lets the four kinds of sources pass', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const sources = [
      'docker://ghcr.io/anomalyco/opencode',
      `docker://localhost:5000/a/b@${digest}`,
      'oras://ghcr.io/a/b:tag',
      'library://user/collection/name:tag',
      'https://example.org/image.sif?version=1',
    ];
    for (const source of sources) assert.equal(checkImageSource(source), source);
  });

  it('refuses everything else', () => {
    const sources = [
      ...[
        '',
        '-F',
        '--help',
        'docker://',
        'docker-daemon://x',
        'http://example.org/x.sif',
        'shub://a/b',
        'a.sif',
      ],
      ...[
        ' docker://a',
        'docker://a b',
        'docker://a\nb',
        'docker://a\0b',
        'docker://a\u202eb',
        `docker://${'x'.repeat(600)}`,
      ],
    ];
    for (const source of sources) {
      assert.throws(
        () => checkImageSource(source),
        (error) => error instanceof UserError && error.code === 'imageSource.invalid',
        JSON.stringify(source),
      );
    }
  });

  it('refuses passwords, without repeating them', () => {
    for (const source of ['https://user:secret@example.org/x.sif', 'docker://secret@ghcr.io/a/b']) {
      assert.throws(
        () => checkImageSource(source),
        (error) =>
          error instanceof UserError &&
          error.code === 'imageSource.credentials' &&
          !error.message.includes('secret'),
      );
    }
  });
});
