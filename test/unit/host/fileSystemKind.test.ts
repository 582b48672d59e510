import assert from 'node:assert/strict';
import { fileSystemKind, fileSystemKindOf } from '../../../src/host/fileSystemKind';

describe('fileSystemKind', () => {
  const cases: [name: string, type: bigint, kind: string][] = [
    ['NFS', 0x6969n, 'network'],
    ['Lustre', 0x0bd00bd0n, 'network'],
    ['GPFS', 0x47504653n, 'network'],
    ['BeeGFS', 0x19830326n, 'network'],
    ['CIFS', 0xff534d42n, 'network'],
    // as statfs(2) gives it where the field is a signed number of 64 bits
    ['CIFS, sign-extended', BigInt.asIntN(64, 0xffffffffff534d42n), 'network'],
    ['SMB 2', 0xfe534d42n, 'network'],
    ['FUSE', 0x65735546n, 'network'],
    ['9P', 0x01021997n, 'network'],
    ['Ceph', 0x00c36400n, 'network'],
    ['tmpfs', 0x01021994n, 'memory'],
    ['ext4', 0xef53n, 'disk'],
    ['XFS', 0x58465342n, 'disk'],
    ['Btrfs', 0x9123683en, 'disk'],
    ['ZFS', 0x2fc12fc1n, 'disk'],
    ['overlayfs', 0x794c7630n, 'disk'],
  ];
  for (const [name, type, kind] of cases) {
    it(`takes ${name} for ${kind}`, () => assert.equal(fileSystemKind(type), kind));
  }

  it('knows the kernel’s own', async () => {
    assert.equal(await fileSystemKindOf('/dev/shm'), 'memory');
  });
});
