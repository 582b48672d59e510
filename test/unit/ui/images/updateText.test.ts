import assert from 'node:assert/strict';
import { baseOf, updateOutlook } from '../../../../src/apptainer/imageUpdate';
import { imageRecord, type ImageRecord } from '../../../../src/apptainer/imageRecords';
import { parseAs } from '../../../../src/sandbox/parseAs';
import { answerText, outlookText } from '../../../../src/ui/images/updateText';

const digest = `sha256:${'a'.repeat(64)}`;
const other = `sha256:${'b'.repeat(64)}`;
const source = 'docker://example.org/opencode';

const record: ImageRecord = {
  path: '/data/opencode.sif',
  sha256: '0'.repeat(64),
  identity: { device: '1', inode: '2', size: '61500000', changedTime: '3' },
  recordedAt: 1,
};

describe('what is known of an image before its registry is asked', () => {
  const cases: readonly (readonly [string, ImageRecord | undefined, string])[] = [
    ['of one without a record', undefined, 'noRegistry'],
    ['of one that was chosen', record, 'noRegistry'],
    ['of one that was built', { ...record, source: '/home/me/own.def' }, 'noRegistry'],
    ['of one that was pulled', { ...record, source, digest }, 'askable'],
    ['of one whose digest was not found out', { ...record, source }, 'notRecorded'],
    ['of one that is pinned', { ...record, source: `${source}@${digest}`, digest }, 'pinned'],
    ['of one from another kind of registry', { ...record, source: 'oras://example.org/a:1' }, 'noDigest'],
    [
      'of one that was built on a pulled one',
      { ...record, source: '/data/opencode.sif', base: { source, digest } },
      'askable',
    ],
  ];
  for (const [whose, of, kind] of cases) {
    it(`is told ${whose}`, () => {
      const outlook = updateOutlook(of);
      assert.equal(outlook.kind, kind);
      if (outlook.kind === 'askable') assert.deepEqual(outlook, { kind, source, digest });
      else {
        const pulled = 'source' in outlook ? outlook.source : source;
        assert.equal(outlookText(outlook, record.path, pulled).action?.kind, offered(kind, 'runCommand'));
        const { text, action } = outlookText(outlook, record.path, 'docker://example.org/another');
        assert.equal(action?.kind, offered(kind, 'openSetting'));
        assert.doesNotMatch(text.text, /Pull it again/);
      }
    });
  }

  const offered = (kind: string, button: string): string | undefined =>
    kind === 'noDigest' || kind === 'notRecorded' ? button : undefined;

  it('is handed on to what is built on it, and on that', () => {
    const base = baseOf({ ...record, source, digest });
    assert.deepEqual(base, { source, digest });
    const built = parseAs(imageRecord, { ...record, source: record.path, base });
    assert.deepEqual(baseOf(built), base);
    assert.equal(baseOf(record), undefined);
  });
});

describe('what the answer of a registry means', () => {
  it('is that nothing has changed, which needs no button', () => {
    const { text, action } = answerText(source, digest, digest, source);
    assert.match(text.text, /up to date/);
    assert.equal(action, undefined);
  });

  it('is that there is a newer one, which can be pulled', () => {
    const { text, action } = answerText(source, digest, other, source);
    assert.match(text.text, /newer/);
    assert.deepEqual(action, { kind: 'runCommand', command: 'sandboxedAgent.pullImage' });
  });

  it('is not offered where a pull would fetch something else', () => {
    const { action } = answerText(source, digest, other, 'docker://example.org/another');
    assert.deepEqual(action, { kind: 'openSetting', setting: 'sandboxedAgent.imageSource' });
  });
});
