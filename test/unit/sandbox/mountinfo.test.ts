import assert from 'node:assert/strict';
import {
  hostPathsOf,
  parseMountinfo,
  rememberingMountinfo,
  type Mount,
} from '../../../src/sandbox/mountinfo';

describe('parseMountinfo', () => {
  it('reads a line with optional fields, escapes and options of the superblock', () => {
    const [mount] = parseMountinfo(
      String.raw`36 35 98:0 /mnt1\040a\011b\012c\134d /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue` +
        '\n',
    );
    assert.deepEqual(mount, {
      id: 36,
      device: '98:0',
      root: '/mnt1 a\tb\nc\\d',
      mountPoint: '/mnt2',
      readOnly: false,
      noExecution: false,
      fileSystem: 'ext3',
      source: '/dev/root',
      superOptions: ['rw', 'errors=continue'],
    });
  });

  it('takes a read-only superblock for read-only', () => {
    const [mount] = parseMountinfo('1 0 0:1 / / rw - overlay overlay ro,lowerdir=/a\n');
    assert.equal(mount?.readOnly, true);
  });

  it('takes a read-only mount of a writable superblock for read-only', () => {
    const [mount] = parseMountinfo('1 0 0:1 / /x ro,nosuid - ext4 /dev/a rw\n');
    assert.equal(mount?.readOnly, true);
  });

  it('leaves out what is no mount', () => {
    assert.deepEqual(parseMountinfo('\nnonsense\n1 2\n'), []);
  });

  it('keeps a multi-byte name, which the kernel does not escape', () => {
    assert.equal(parseMountinfo('1 0 0:1 /ü漢 /x rw - ext4 a rw')[0]?.root, '/ü漢');
  });
});

describe('rememberingMountinfo', () => {
  const text = (id: number): string => `${id} 0 0:1 / / rw - overlay overlay rw\n`;

  it('parses what it has not seen lately, and nothing else', () => {
    const mountsIn = rememberingMountinfo();
    const first = mountsIn(text(1));
    assert.deepEqual(first, parseMountinfo(text(1)));
    [2, 3].forEach((id) => assert.deepEqual(mountsIn(text(id)), parseMountinfo(text(id))));
    assert.equal(mountsIn(text(1)), first);
    // 2 is now the one that was asked for least lately
    mountsIn(text(4));
    assert.equal(mountsIn(text(1)), first);
    assert.deepEqual(mountsIn(text(2)), parseMountinfo(text(2)));
  });
});

describe('hostPathsOf', () => {
  const mount = (device: string, root: string, mountPoint: string): Mount => ({
    id: 1,
    device,
    root,
    mountPoint,
    readOnly: false,
    noExecution: false,
    fileSystem: 'ext4',
    source: 'x',
    superOptions: [],
  });
  const host = [mount('8:1', '/', '/'), mount('8:2', '/', '/home'), mount('8:2', '/me/data', '/data')];

  const cases: [device: string, root: string, expected: string[]][] = [
    ['8:1', '/', ['/']],
    ['8:1', '/srv/x', ['/srv/x']],
    ['8:2', '/', ['/home']],
    ['8:2', '/me', ['/home/me']],
    ['8:2', '/me/data', ['/data', '/home/me/data']],
    ['8:2', '/me/data/run7', ['/data/run7', '/home/me/data/run7']],
    ['8:2', '/me/database', ['/home/me/database']],
    ['9:9', '/me', []],
  ];
  for (const [device, root, expected] of cases) {
    it(`finds ${expected.join(' and ') || 'nothing'} for ${device} ${root}`, () => {
      assert.deepEqual(hostPathsOf(mount(device, root, '/x'), host), expected);
    });
  }
});
