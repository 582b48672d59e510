import assert from 'node:assert/strict';
import { exposureOf } from '../../../src/probes/host/exposure';
import { parseMountinfo } from '../../../src/sandbox/mountinfo';

const host = parseMountinfo(
  ['1 0 8:1 / / rw - ext4 /dev/a rw', '2 1 0:5 / /proc rw - proc proc rw'].join('\n'),
);

function exposure(path: string, ...lines: string[]): string {
  return exposureOf(path, parseMountinfo(lines.join('\n')), host);
}

const root = '10 0 0:90 / / ro - fuse.squashfuse image ro';

describe('what a sandbox can come to, by its mounts', () => {
  it('is nothing of what no mount shows', () => {
    assert.equal(
      exposure('/nowhere/secret', root, '11 10 8:1 /nowhere/work /nowhere/work rw - ext4 /dev/a rw'),
      'none',
    );
  });

  it('is what a mount shows, under whatever name', () => {
    assert.equal(
      exposure('/nowhere/secret', root, '11 10 8:1 /nowhere /mnt/other rw - ext4 /dev/a rw'),
      'writable',
    );
    assert.equal(exposure('/nowhere/secret', root, '11 10 8:1 / /host ro - ext4 /dev/a rw'), 'readOnly');
    assert.equal(
      exposure('/nowhere/secret', root, '11 10 8:1 /nowhere/secret /x rw - ext4 /dev/a rw'),
      'writable',
    );
  });

  it('is not what another mount lies upon', () => {
    const below = '11 10 8:1 / / ro - ext4 /dev/a rw';
    assert.equal(exposure('/nowhere/secret', below, '12 11 0:91 / /nowhere rw - tmpfs tmpfs rw'), 'none');
    const bound = '11 10 8:1 /nowhere /nowhere rw - ext4 /dev/a rw';
    const readOnly = '12 11 8:1 /nowhere/git /nowhere/git ro - ext4 /dev/a rw';
    assert.equal(exposure('/nowhere/git/config', root, bound, readOnly), 'readOnly');
    assert.equal(
      exposure(
        '/nowhere/git/config',
        root,
        bound,
        readOnly,
        '13 12 8:1 /nowhere/git /nowhere/git rw - ext4 /dev/a rw',
      ),
      'writable',
    );
  });
});
