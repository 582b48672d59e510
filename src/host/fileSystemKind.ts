import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** `network`: other computers can write there, and locks may not reach them. */
export type FileSystemKind = 'local' | 'network' | 'memory' | 'fuse';

/** What is known of a file system. */
export interface FileSystemFacts {
  readonly kind: FileSystemKind;
  /** as people call it, such as `Lustre`; empty for what is not listed */
  readonly name: string;
  readonly freeBytes: number;
  /** whole size */
  readonly totalBytes: number;
}

/**
 * `f_type` of statfs(2), which names most of them; Lustre, GPFS, BeeGFS and PanFS have their numbers in their own
 * sources.
 */
const known: Readonly<Record<number, readonly [FileSystemKind, string]>> = {
  0x6969: ['network', 'NFS'],
  0x0bd00bd0: ['network', 'Lustre'],
  0x47504653: ['network', 'GPFS'],
  0x19830326: ['network', 'BeeGFS'],
  0xaad7aaea: ['network', 'PanFS'],
  0x00c36400: ['network', 'Ceph'],
  0xff534d42: ['network', 'CIFS'],
  0xfe534d42: ['network', 'SMB'],
  0x517b: ['network', 'SMB'],
  0x5346414f: ['network', 'AFS'],
  0x6b414653: ['network', 'AFS'],
  0x7461636f: ['network', 'OCFS2'],
  0x01161970: ['network', 'GFS2'],
  0x01021997: ['network', '9P'],
  0x65735546: ['fuse', 'FUSE'],
  0x01021994: ['memory', 'tmpfs'],
  0x858458f6: ['memory', 'ramfs'],
};

/** What the file system is on which `path` lies. @throws the errors of statfs(2) */
export async function readFileSystem(path: string): Promise<FileSystemFacts> {
  const { type, bavail, bsize, blocks } = await statfs(path);
  // a negative number is one that was too large for the type of the kernel's field
  const [kind, name] = known[type >>> 0] ?? ['local', ''];
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
