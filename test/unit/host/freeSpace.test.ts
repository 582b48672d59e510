import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findShortage } from '../../../src/host/freeSpace';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('findShortage', () => {
  const folder = useTemporaryFolder();

  it('finds none where there is room, and leaves nothing behind', () => {
    assert.equal(findShortage(folder(), 1_000_000), undefined);
    assert.deepEqual(readdirSync(folder()), []);
  });

  it('finds that a disk has not so much room', () => {
    assert.equal(findShortage(folder(), 2 ** 60), 'disk');
  });

  it('learns nothing of a folder that is missing, may not be written to, or was replaced by a link', () => {
    const closed = join(folder(), 'closed');
    mkdirSync(closed, { mode: 0o500 });
    const link = join(folder(), 'link');
    symlinkSync(closed, link);
    for (const path of [join(folder(), 'missing'), closed, link]) {
      assert.equal(findShortage(path, 1000), undefined);
    }
  });
});
