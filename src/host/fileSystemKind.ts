import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * `network`: other computers can have it mounted, too, and locks and shared memory may not work between them.
 * `memory`: it takes the computer's memory, and is gone with it. `disk`: anything else.
 */
export type FileSystemKind = 'network' | 'memory' | 'disk';

/** What is known of a file system. */
export interface FileSystemFacts {
  readonly kind: FileSystemKind;
  /** as people call it, such as `Lustre`; empty for what is not listed */
  readonly name: string;
  readonly freeBytes: number;
}

/**
 * f_type of statfs(2). The numbers are in statfs(2), linux/magic.h and the sources of each; those that are in neither
 * are in src/stat.c of coreutils, which calls the same ones remote. FUSE says nothing of what is behind it (sshfs,
 * and many file systems of clusters), so that it counts as shared.
 */
const known: ReadonlyMap<bigint, readonly [FileSystemKind, string]> = new Map([
  [0x6969n, ['network', 'NFS']],
  [0x517bn, ['network', 'SMB']],
  [0xff534d42n, ['network', 'CIFS']],
  [0xfe534d42n, ['network', 'SMB 2']],
  [0x564cn, ['network', 'NCP']],
  // WSL's /mnt/c, virtual machines
  [0x01021997n, ['network', '9P']],
  [0x5346414fn, ['network', 'AFS']],
  [0x6b414653n, ['network', 'AFS']],
  [0x73757245n, ['network', 'Coda']],
  [0x00c36400n, ['network', 'Ceph']],
  [0x0bd00bd0n, ['network', 'Lustre']],
  [0x47504653n, ['network', 'GPFS']],
  [0x19830326n, ['network', 'BeeGFS']],
  [0xaad7aaean, ['network', 'PanFS']],
  [0x20030528n, ['network', 'OrangeFS']],
  [0x01161970n, ['network', 'GFS2']],
  [0x7461636fn, ['network', 'OCFS2']],
  [0xbeefdeadn, ['network', 'StorNext']],
  [0x013111a8n, ['network', 'IBRIX']],
  [0x61636673n, ['network', 'ACFS']],
  [0x65735546n, ['network', 'FUSE']],
  [0x786f4256n, ['network', 'VirtualBox']],
  [0xbacbacbcn, ['network', 'VMware']],
  [0x7c7c6673n, ['network', 'Parallels']],
  [0x01021994n, ['memory', 'tmpfs']],
  [0x858458f6n, ['memory', 'ramfs']],
] as const);

/** What kind of file system a number means, as statfs(2) gives it, sign-extended or not. */
export function fileSystemKind(type: bigint): FileSystemKind {
  return lookUp(type)[0];
}

/** What kind of file system a folder is on. @throws the errors of statfs(2) */
export async function fileSystemKindOf(folder: string): Promise<FileSystemKind> {
  return (await readFileSystem(folder)).kind;
}

/** What the file system is on which `path` lies. @throws the errors of statfs(2) */
export async function readFileSystem(path: string): Promise<FileSystemFacts> {
  const { type, bavail, bsize } = await statfs(path, { bigint: true });
  const [kind, name] = lookUp(type);
  return { kind, name, freeBytes: Number(bavail * bsize) };
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

function lookUp(type: bigint): readonly [FileSystemKind, string] {
  return known.get(BigInt.asUintN(32, type)) ?? ['disk', ''];
}
