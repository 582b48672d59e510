import assert from 'node:assert/strict';
import type { ImageRecord } from '../../../../src/apptainer/imageRecords';
import { formatMessage } from '../../../../src/sandbox/message';
import { imageRows } from '../../../../src/ui/images/imageRows';

const record: ImageRecord = {
  path: '/data/opencode.sif',
  sha256: '0'.repeat(64),
  identity: { device: '1', inode: '2', size: '61500000', changedTime: '3' },
  recordedAt: Date.UTC(2026, 10, 30),
  source: 'docker://example.org/opencode',
  opencodeVersion: '1.18.33',
};

describe('imageRows', () => {
  it('says what is known of an image, and which one is in use', () => {
    const [row] = imageRows([{ record, state: 'same' }], record.path, formatMessage);
    assert(row);
    assert.equal(row.label, 'opencode.sif');
    assert.match(row.description, /^in use, opencode 1\.18\.33, 62 MB, \S+/);
    assert.equal(row.detail, 'docker://example.org/opencode → /data/opencode.sif');
  });

  it('warns of one that was changed, and leaves out one that is gone', () => {
    const rows = imageRows(
      [
        { record: { ...record, opencodeVersion: undefined }, state: 'touched' },
        { record, state: 'missing' },
      ],
      '',
      formatMessage,
    );
    assert.equal(rows.length, 1);
    assert.match(rows[0]?.description ?? '', /^changed since it was recorded, without opencode/);
  });

  it('shows no icon and no link that a name asks for', () => {
    const path = '/data/$(trash) [x](command:y).sif';
    const [row] = imageRows(
      [{ record: { ...record, path, source: undefined }, state: 'same' }],
      '',
      formatMessage,
    );
    assert.doesNotMatch(`${row?.label} ${row?.detail}`, /\$\(|\]\(/);
  });
});
