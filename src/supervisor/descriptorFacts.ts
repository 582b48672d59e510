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
    const tables = isLate() ? undefined : descriptorTables(pid);
    if (tables?.every(({ names }) => names !== undefined) !== true) {
      unreadableDescriptors.push(pid);
      continue;
    }
    // a program may give its children a mount namespace of their own, with copies of the container's mounts
    const isNested = readProcLink(`${pid}/ns/mnt`) !== initNamespace;
    const ours = isNested ? mountIds(parseMountinfo(readProc(`${pid}/mountinfo`) ?? '')) : containerIds;
    for (const { folder, names = [] } of tables) {
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
  }
  return { foreignDescriptors, unreadableDescriptors };
}

interface DescriptorTable {
  readonly folder: string;
  /** undefined when it could not be listed */
  readonly names: readonly string[] | undefined;
}

/**
 * The tables of a process: threads share one as a rule, but may have their own (CLONE_FILES of clone(2)), and the
 * first thread may have ended before the others. Tables of the same length and names are taken for the same.
 */
function descriptorTables(pid: number): DescriptorTable[] {
  const tables = new Map<string, DescriptorTable>();
  for (const thread of listProc(`${pid}/task`) ?? []) {
    const folder = `${pid}/task/${thread}/fd`;
    const names = listProc(folder);
    const hasEnded = names === undefined && readProc(`${pid}/task/${thread}/stat`) === undefined;
    const isZombie = /^State:\s*[ZX]/m.test(readProc(`${pid}/task/${thread}/status`) ?? '');
    if (!hasEnded && !isZombie) {
      tables.set(names?.join() ?? 'unreadable', { folder, names });
    }
  }
  return [...tables.values()];
}

function mountIdOf(descriptorInfo: string): number | undefined {
  const digits = /mnt_id:\s*(\d+)/.exec(readProc(descriptorInfo) ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function mountIds(mounts: readonly Mount[]): Set<number> {
  return new Set(mounts.map((mount) => mount.id));
}
