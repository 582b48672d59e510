import { isRunning, listProc, processStat, readProc, readProcLink } from '../host/procfs';
import type { ContainerFacts, ForeignDescriptor } from '../sandbox/facts';
import { parseMountinfo, type Mount } from '../sandbox/mountinfo';

/** The tables of mounts that tell where a file was opened. */
export interface MountTables {
  readonly container: readonly Mount[];
  readonly host: readonly Mount[];
  readonly starter: readonly Mount[];
}

/**
 * Descriptors of processes in the container that were opened through a mount of the host or of the starter (fdinfo's
 * mnt_id, proc_pid_fdinfo(5)). What was opened through no mount that anybody lists is the kernel's own, for example
 * memory without a name (memfd_create(2)), which every program may make.
 */
export function descriptorFacts(
  pids: readonly number[],
  init: number,
  tables: MountTables,
): Pick<ContainerFacts, 'foreignDescriptors' | 'unreadableDescriptors'> {
  const initNamespace = readProcLink(`${init}/ns/mnt`);
  const containerIds = mountIds(tables.container);
  const outside = mountIds([...tables.host, ...tables.starter]);
  const foreignDescriptors: ForeignDescriptor[] = [];
  const unreadableDescriptors: number[] = [];
  for (const pid of pids) {
    const names = listProc(`${pid}/fd`);
    if (!names) {
      const startTime = processStat(pid)?.startTime;
      const isThere = startTime !== undefined && isRunning(pid, startTime);
      unreadableDescriptors.push(...(isThere ? [pid] : []));
      continue;
    }
    // a program may give its children a mount namespace of their own, with copies of the container's mounts
    const isNested = readProcLink(`${pid}/ns/mnt`) !== initNamespace;
    const ours = isNested ? mountIds(parseMountinfo(readProc(`${pid}/mountinfo`) ?? '')) : containerIds;
    for (const name of names) {
      const target = readProcLink(`${pid}/fd/${name}`);
      const mountId = Number(/mnt_id:\s*(\d+)/.exec(readProc(`${pid}/fdinfo/${name}`) ?? '')?.[1]);
      if (target?.startsWith('/') && outside.has(mountId) && !ours.has(mountId)) {
        foreignDescriptors.push({ pid, descriptor: Number(name), target });
      }
    }
  }
  return { foreignDescriptors, unreadableDescriptors };
}

function mountIds(mounts: readonly Mount[]): Set<number> {
  return new Set(mounts.map((mount) => mount.id));
}
