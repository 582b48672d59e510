import { listProc, readProc, readProcLink } from '../host/procfs';
import type { ContainerFacts, ForeignDescriptor } from '../sandbox/facts';
import { parseMountinfo, type Mount } from '../sandbox/mountinfo';

/**
 * How long one reading may take: a program can open a million files, and the supervisor must go on. What was not
 * reached counts as unreadable.
 */
const longestReading = 150;

type DescriptorFacts = Pick<ContainerFacts, 'foreignDescriptors' | 'unreadableDescriptors'>;

/**
 * What the kernel calls memory that has no file: memfd_create(2), shared anonymous mappings and shmget(2), aio. Every
 * program may make it. No file of a host is called so, because its first folder would have to be.
 */
const kernelMemory = /^\/(memfd:|dev\/zero \(deleted\)|SYSV[0-9a-f]{8}|\[aio\])/;

/**
 * Descriptors of processes in the container that were not opened through one of its mounts (fdinfo's mnt_id,
 * proc_pid_fdinfo(5)).
 *
 * @param mounts of the container's init
 */
export function descriptorFacts(
  pids: readonly number[],
  init: number,
  mounts: readonly Mount[],
): DescriptorFacts {
  const deadline = Date.now() + longestReading;
  const initNamespace = readProcLink(`${init}/ns/mnt`);
  const containerIds = mountIds(mounts);
  const foreignDescriptors: ForeignDescriptor[] = [];
  const unreadableDescriptors: number[] = [];
  const isLate = (): boolean => Date.now() > deadline;
  for (const pid of pids) {
    const folder = descriptorFolder(pid);
    if (folder === undefined) {
      continue;
    }
    const names = isLate() ? undefined : listProc(folder);
    if (names === undefined) {
      unreadableDescriptors.push(pid);
      continue;
    }
    // a program may give its children a mount namespace of their own, with copies of the container's mounts
    const isNested = readProcLink(`${pid}/ns/mnt`) !== initNamespace;
    const ours = isNested ? mountIds(parseMountinfo(readProc(`${pid}/mountinfo`) ?? '')) : containerIds;
    for (const name of names) {
      if (isLate()) {
        unreadableDescriptors.push(pid);
        break;
      }
      const target = readProcLink(`${folder}/${name}`);
      const mountId = target?.startsWith('/') ? mountIdOf(`${folder}info/${name}`) : undefined;
      // undefined: closed meanwhile
      if (target && mountId !== undefined && !ours.has(mountId) && !kernelMemory.test(target)) {
        foreignDescriptors.push({ pid, descriptor: Number(name), target });
      }
    }
  }
  return { foreignDescriptors, unreadableDescriptors };
}

/**
 * The folder of /proc with the descriptors of a process: those of its first thread that lives. All threads share one
 * table, because the filter lets no thread have its own. Undefined when the process has ended.
 */
function descriptorFolder(pid: number): string | undefined {
  for (const thread of listProc(`${pid}/task`) ?? []) {
    const status = readProc(`${pid}/task/${thread}/status`);
    if (status !== undefined && !/^State:\s*[ZX]/m.test(status)) {
      return `${pid}/task/${thread}/fd`;
    }
  }
  return undefined;
}

function mountIdOf(descriptorInfo: string): number | undefined {
  const digits = /mnt_id:\s*(\d+)/.exec(readProc(descriptorInfo) ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function mountIds(mounts: readonly Mount[]): Set<number> {
  return new Set(mounts.map((mount) => mount.id));
}
