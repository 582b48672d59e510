import assert from 'node:assert/strict';
import { type ImageFacts, refuseImage } from '../../../src/sandbox/refuseImage';

const workspace = { path: '/data/project', ancestry: ['1:9'] };

function codeOf(more: Partial<ImageFacts>): string | undefined {
  const facts: ImageFacts = {
    configuredPath: '/data/images/opencode.sif',
    place: { path: '/data/images/opencode.sif', ancestry: ['1:8', '1:7'] },
    entries: ['/data', '/data/images', '/data/images/opencode.sif'],
    kind: 'file',
    isSif: true,
    ...more,
  };
  return refuseImage(facts, [{ path: '/other', ancestry: [] }, workspace])?.code;
}

describe('refuseImage', () => {
  it('lets a SIF file pass', () => {
    assert.equal(codeOf({}), undefined);
  });

  it('refuses what is not one', () => {
    assert.equal(codeOf({ configuredPath: '' }), 'image.notConfigured');
    assert.equal(codeOf({ configuredPath: 'docker://x' }), 'image.notAbsolute');
    assert.equal(codeOf({ configuredPath: '/a\0b' }), 'image.notAbsolute');
    assert.equal(codeOf({ kind: 'missing' }), 'image.missing');
    assert.equal(codeOf({ kind: 'unreachable' }), 'image.unreadable');
    assert.equal(codeOf({ kind: 'other' }), 'image.notSif');
    assert.equal(codeOf({ isSif: false }), 'image.notSif');
  });

  it('refuses one that an agent could replace', () => {
    assert.equal(codeOf({ place: { path: '/data/project/x.sif', ancestry: [] } }), 'image.insideWorkspace');
    assert.equal(
      codeOf({ place: { path: '/alias/x.sif', ancestry: ['1:8', '1:9'] } }),
      'image.insideWorkspace',
    );
  });

  it('refuses one that is reached through a link that an agent could replace', () => {
    const entries = [
      '/data',
      '/data/link',
      '/data/project',
      '/data/project/link',
      '/data/images/opencode.sif',
    ];
    assert.equal(codeOf({ entries }), 'image.insideWorkspace');
  });
});
