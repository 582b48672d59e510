import { statfs } from 'node:fs/promises';

/**
 * `network`: other computers can have it mounted, too, and locks and shared memory may not work between them.
 * `memory`: it takes the computer's memory, and is gone with it. `disk`: anything else.
 */
export type FileSystemKind = 'network' | 'memory' | 'disk';

/**
 * f_type of statfs(2). The numbers are in statfs(2), linux/magic.h and the sources of each; those that are in neither
 * are in src/stat.c of coreutils, which calls the same ones remote. FUSE says nothing of what is behind it (sshfs,
 * and many file systems of clusters), so that it counts as shared.
 */
const networkTypes: ReadonlySet<bigint> = new Set([
  0x6969n, // NFS
  0x517bn, // SMB
  0xff534d42n, // CIFS
  0xfe534d42n, // SMB 2
  0x564cn, // NCP
  0x01021997n, // 9P: WSL's /mnt/c, virtual machines
  0x5346414fn, // AFS
  0x6b414653n, // kAFS
  0x73757245n, // Coda
  0x00c36400n, // Ceph
  0x0bd00bd0n, // Lustre
  0x47504653n, // GPFS
  0x19830326n, // BeeGFS
  0xaad7aaean, // PanFS
  0x20030528n, // OrangeFS
  0x01161970n, // GFS2
  0x7461636fn, // OCFS2
  0xbeefdeadn, // StorNext
  0x013111a8n, // IBRIX
  0x61636673n, // ACFS
  0x65735546n, // FUSE
  0x786f4256n, // folders of VirtualBox's host
  0xbacbacbcn, // of VMware's
  0x7c7c6673n, // of Parallels'
]);

const memoryTypes: ReadonlySet<bigint> = new Set([
  0x01021994n, // tmpfs
  0x858458f6n, // ramfs
]);

/** What kind of file system a number means, as statfs(2) gives it, sign-extended or not. */
export function fileSystemKind(type: bigint): FileSystemKind {
  const number = BigInt.asUintN(32, type);
  if (networkTypes.has(number)) return 'network';
  return memoryTypes.has(number) ? 'memory' : 'disk';
}

/** What kind of file system a folder is on. @throws the errors of statfs(2) */
export async function fileSystemKindOf(folder: string): Promise<FileSystemKind> {
  return fileSystemKind((await statfs(folder, { bigint: true })).type);
}
