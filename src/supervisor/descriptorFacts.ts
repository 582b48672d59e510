import { listProc, processStat, readProc, readProcLink } from '../host/procfs';
import type { ContainerFacts, ForeignDescriptor } from '../sandbox/facts';
import { workWatch } from '../host/workWatch';
import { parseMountinfo, type Mount } from '../sandbox/mountinfo';

/**
 * How long one reading may take, in milliseconds of work: a program can open a million files, and the supervisor must
 * go on. What was not reached counts as unreadable. Where others want the processor too it may take some times longer.
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
 * @param longest how long it may take, in milliseconds of work
 */
export function descriptorFacts(
  pids: readonly number[],
  init: number,
  mounts: readonly Mount[],
  longest = longestReading,
): DescriptorFacts {
  const initNamespace = readProcLink(`${init}/ns/mnt`);
  const containerIds = mountIds(mounts);
  const foreignDescriptors: ForeignDescriptor[] = [];
  const unreadableDescriptors: number[] = [];
  const isLate = workWatch(longest);
  for (const pid of pids) {
    const table = isLate() ? 'unreadable' : descriptorTable(pid);
    if (table === undefined) {
      continue;
    }
    if (table === 'unreadable') {
      unreadableDescriptors.push(pid);
      continue;
    }
    const { thread, names } = table;
    // a program may give its children a mount namespace of their own, with copies of the container's mounts
    const isNested = readProcLink(`${thread}/ns/mnt`) !== initNamespace;
    const ours = isNested ? mountIds(parseMountinfo(readProc(`${thread}/mountinfo`) ?? '')) : containerIds;
    for (const name of names) {
      if (isLate()) {
        unreadableDescriptors.push(pid);
        break;
      }
      const target = readProcLink(`${thread}/fd/${name}`);
      const mountId = target?.startsWith('/') ? mountIdOf(`${thread}/fdinfo/${name}`) : undefined;
      // undefined: closed meanwhile
      if (target && mountId !== undefined && !ours.has(mountId) && !kernelMemory.test(target)) {
        foreignDescriptors.push({ pid, descriptor: Number(name), target });
      }
    }
  }
  return { foreignDescriptors, unreadableDescriptors };
}

interface DescriptorTable {
  /** the folder of the thread below /proc: the first one of a process may have ended, and shows nothing more then */
  readonly thread: string;
  readonly names: readonly string[];
}

/**
 * The descriptors of a process: those of its first thread that lives. All threads share one table, because the filter
 * lets no thread have its own. Undefined when the process has ended, or is just ending: then it has none any more.
 */
function descriptorTable(pid: number): DescriptorTable | 'unreadable' | undefined {
  for (const name of listProc(`${pid}/task`) ?? []) {
    const thread = `${pid}/task/${name}`;
    const lives = (): boolean => processStat(thread)?.isEnding === false;
    if (!lives()) continue;
    const names = listProc(`${thread}/fd`);
    if (names) return { thread, names };
    if (lives()) return 'unreadable';
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
