import { lstat, statfs } from 'node:fs/promises';
import type { Environment } from '../sandbox/hostEnvironment';

/**
 * File systems that other machines share (f_type of statfs(2); the numbers are in linux/magic.h and in the sources
 * of each). Sockets and FIFOs do not work there as they do on a disk of this machine.
 */
const networkFileSystems: readonly bigint[] = [
  0x6969n, // NFS
  0xff534d42n, // CIFS
  0xfe534d42n, // SMB 2
  0x01021997n, // 9P
  0x5346414fn, // AFS
  0x00c36400n, // Ceph
  0x0bd00bd0n, // Lustre
  0x47504653n, // GPFS
  0x19830326n, // BeeGFS
  0x65735546n, // FUSE, such as sshfs
];

const temporaryFolder = '/tmp';

/**
 * Where run directories may be made, in the order to try: the user's runtime folder, if it is what its specification
 * promises (ours, closed to others; https://specifications.freedesktop.org/basedir-spec/latest/) and on this
 * machine, then /tmp.
 */
export async function findRunDirectoryParents(environment: Environment): Promise<string[]> {
  const runtimeFolder = environment['XDG_RUNTIME_DIR'];
  if (runtimeFolder === undefined || !(await isPrivateAndLocal(runtimeFolder))) return [temporaryFolder];
  return [runtimeFolder, temporaryFolder];
}

async function isPrivateAndLocal(folder: string): Promise<boolean> {
  if (!folder.startsWith('/')) return false;
  try {
    const stats = await lstat(folder);
    if (!stats.isDirectory() || stats.uid !== process.geteuid?.() || (stats.mode & 0o077) !== 0) return false;
    const { type } = await statfs(folder, { bigint: true });
    return !networkFileSystems.includes(BigInt.asUintN(32, type));
  } catch {
    return false;
  }
}
