import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileSystemKind, type FileSystemKind } from './fileSystemKind';

/** What is known of a file system. */
export interface FileSystemFacts {
  readonly kind: FileSystemKind;
  /** as people call it, such as `Lustre`; empty for what is not listed */
  readonly name: string;
  readonly freeBytes: number;
  /** whole size */
  readonly totalBytes: number;
}

/** Of those that people know by name; the numbers are those of `fileSystemKind.ts`. */
const names: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x0bd00bd0: 'Lustre',
  0x47504653: 'GPFS',
  0x19830326: 'BeeGFS',
  0xaad7aaea: 'PanFS',
  0x00c36400: 'Ceph',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB',
  0x517b: 'SMB',
  0x5346414f: 'AFS',
  0x6b414653: 'AFS',
  0x7461636f: 'OCFS2',
  0x01161970: 'GFS2',
  0x01021997: '9P',
  0x65735546: 'FUSE',
  0x01021994: 'tmpfs',
  0x858458f6: 'ramfs',
};

/** What the file system is on which `path` lies. @throws the errors of statfs(2) */
export async function readFileSystem(path: string): Promise<FileSystemFacts> {
  const { type, bavail, bsize, blocks } = await statfs(path);
  // a negative number is one that was too large for the type of the kernel's field
  const name = names[type >>> 0] ?? '';
  const kind = fileSystemKind(BigInt(type));
  return { kind, name, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** The folder itself, or the nearest above it that exists. */
export async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const exists = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (exists || folder === '/') return folder;
  }
}
