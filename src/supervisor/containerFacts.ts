import { identifyTarget } from '../host/fileIdentity';
import {
  childProcesses,
  listProc,
  processName,
  processStat,
  processStatus,
  processTree,
  readProc,
  readProcLink,
} from '../host/procfs';
import {
  namespaceNames,
  type ContainerFacts,
  type ForeignDescriptor,
  type ImageServer,
  type NamespaceState,
  type ProcessFacts,
} from '../sandbox/facts';
import { hostPathsOf, parseMountinfo, type Mount } from '../sandbox/mountinfo';
import type { FileIdentity } from '../sandbox/specification';

/** The two processes that Apptainer keeps for one container, with the start times that tell a reused pid. */
export interface ContainerProcesses {
  /** the starter: holds the image open, parent of everything */
  readonly starter: number;
  /** pid 1 of the container, seen from the host */
  readonly init: number;
  readonly initStartTime: string;
}

/**
 * Finds the container below the process that was started as `apptainer`, once it is complete: its init is called
 * `appinit` and has a child. Earlier the process still shows the host's root and all capabilities (measured).
 */
export function findContainer(starter: number): ContainerProcesses | undefined {
  for (const init of childProcesses(starter)) {
    const stat = processStat(init);
    if (stat && processName(init) === 'appinit' && childProcesses(init).length > 0) {
      return { starter, init, initStartTime: stat.startTime };
    }
  }
  return undefined;
}

/**
 * What stands for a container when something waits at the gate although no `appinit` does: without a pid namespace
 * of its own Apptainer makes none. It is judged like any other, and refused.
 */
export function guessContainer(starter: number): ContainerProcesses | undefined {
  const init = childProcesses(starter).find((pid) => !isImageServer(pid));
  const stat = init === undefined ? undefined : processStat(init);
  return init !== undefined && stat ? { starter, init, initStartTime: stat.startTime } : undefined;
}

/** The process that waits at the gate: the first child of the container's init. */
function gateProcess({ init }: ContainerProcesses): number {
  return childProcesses(init)[0] ?? init;
}

/** What the process at the gate brought along, read before anything of the agent's runs. */
export interface GateFacts {
  readonly environmentNames: readonly string[];
  /** pipes and sockets, which only a process outside can have given it */
  readonly streams: readonly ForeignDescriptor[];
}

/** Reads what the process at the gate inherited. */
export function readGateFacts(container: ContainerProcesses): GateFacts {
  const pid = gateProcess(container);
  const environment = readProc(`${pid}/environ`) ?? '';
  const targets = (listProc(`${pid}/fd`) ?? []).map((name) => ({
    pid,
    descriptor: Number(name),
    target: readProcLink(`${pid}/fd/${name}`) ?? '',
  }));
  return {
    environmentNames: environment
      .split('\0')
      .filter(Boolean)
      .map((entry) => entry.split('=', 1)[0] ?? ''),
    streams: targets.filter(({ target }) => /^(pipe|socket):/.test(target)),
  };
}

/**
 * Reads from the host's /proc what the verdict needs. `undefined` when the container ended meanwhile: then nothing
 * that was read can be trusted to be about it.
 */
export function readContainerFacts(
  container: ContainerProcesses,
  atGate: GateFacts,
): ContainerFacts | undefined {
  const { init, starter, initStartTime } = container;
  const time = Date.now();
  const mounts = parseMountinfo(readProc(`${init}/mountinfo`) ?? '');
  const hostMounts = parseMountinfo(readProc('self/mountinfo') ?? '');
  const starterMounts = parseMountinfo(readProc(`${starter}/mountinfo`) ?? '');
  const pids = processTree(init).filter((pid) => isAlive(pid));
  const facts: ContainerFacts = {
    time,
    namespaces: namespaces(init),
    mounts,
    hostMounts,
    starterMounts,
    imageServers: imageServers(starter),
    identities: identities(mounts, hostMounts),
    processes: pids.flatMap((pid) => processFacts(pid, init)),
    ...descriptors(pids, init, mounts, atGate.streams),
    terminal: readProcLink(`${starter}/fd/0`),
    interfaces: interfaces(init),
    environmentNames: atGate.environmentNames,
  };
  return processStat(init)?.startTime === initStartTime && isAlive(init) ? facts : undefined;
}

function isAlive(pid: number): boolean {
  const state = processStat(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function namespaces(init: number): ContainerFacts['namespaces'] {
  const state = (name: string): NamespaceState => {
    const theirs = readProcLink(`${init}/ns/${name}`);
    return theirs === undefined
      ? 'unreadable'
      : theirs === readProcLink(`self/ns/${name}`)
        ? 'shared'
        : 'own';
  };
  return Object.fromEntries(
    namespaceNames.map((name) => [name, state(name)]),
  ) as ContainerFacts['namespaces'];
}

function identities(mounts: readonly Mount[], hostMounts: readonly Mount[]): Map<string, FileIdentity> {
  const paths = new Set(mounts.flatMap((mount) => hostPathsOf(mount, hostMounts)));
  return new Map(
    [...paths].flatMap((path) => {
      const identity = identifyTarget(path);
      return identity ? [[path, identity] as const] : [];
    }),
  );
}

/** Sibling processes of the init that serve a file as a file system; the container can't make one there. */
function imageServers(starter: number): ImageServer[] {
  return childProcesses(starter)
    .filter(isImageServer)
    .map((pid) => {
      const words = (readProc(`${pid}/cmdline`) ?? '').split('\0').filter(Boolean);
      const opened = words.find((word) => word.startsWith('/proc/self/fd/'));
      const target = opened?.replace('/proc/self/', `/proc/${pid}/`);
      return { pid, mountPoint: words.at(-1) ?? '', image: target ? identifyTarget(target) : undefined };
    });
}

function isImageServer(pid: number): boolean {
  return processName(pid)?.startsWith('squashfuse') === true;
}

function processFacts(pid: number, init: number): ProcessFacts[] {
  const status = processStatus(pid);
  if (!status) {
    return [];
  }
  const capabilities = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']
    .map((set) => BigInt(`0x${status.get(set) ?? 'ffffffff'}`))
    .reduce((union, set) => union | set, 0n);
  const namespace = readProcLink(`${pid}/ns/user`);
  return [
    {
      pid,
      capabilities,
      noNewPrivileges: status.get('NoNewPrivs') === '1',
      seccompMode: Number(status.get('Seccomp') ?? 0),
      userNamespace:
        namespace === undefined
          ? 'unreadable'
          : namespace === readProcLink(`${init}/ns/user`)
            ? 'container'
            : 'nested',
    },
  ];
}

/** A descriptor is foreign when the mount it was opened through (fdinfo's mnt_id) is none of the container's. */
function descriptors(
  pids: readonly number[],
  init: number,
  mounts: readonly Mount[],
  streams: readonly ForeignDescriptor[],
): Pick<ContainerFacts, 'foreignDescriptors' | 'unreadableDescriptors'> {
  const initNamespace = readProcLink(`${init}/ns/mnt`);
  const initMounts = mountIds(mounts);
  const foreignDescriptors: ForeignDescriptor[] = [...streams];
  const unreadableDescriptors: number[] = [];
  for (const pid of pids) {
    const names = listProc(`${pid}/fd`);
    if (!names) {
      unreadableDescriptors.push(...(isAlive(pid) ? [pid] : []));
      continue;
    }
    // a program may give its children a mount namespace of their own, with copies of the container's mounts
    const isNested = readProcLink(`${pid}/ns/mnt`) !== initNamespace;
    const ours = isNested ? mountIds(parseMountinfo(readProc(`${pid}/mountinfo`) ?? '')) : initMounts;
    for (const name of names) {
      const target = readProcLink(`${pid}/fd/${name}`);
      const mountId = /mnt_id:\s*(\d+)/.exec(readProc(`${pid}/fdinfo/${name}`) ?? '')?.[1];
      if (target?.startsWith('/') && mountId !== undefined && !ours.has(Number(mountId))) {
        foreignDescriptors.push({ pid, descriptor: Number(name), target });
      }
    }
  }
  return { foreignDescriptors, unreadableDescriptors };
}

function mountIds(mounts: readonly Mount[]): Set<number> {
  return new Set(mounts.map((mount) => mount.id));
}

function interfaces(init: number): string[] {
  return (readProc(`${init}/net/dev`) ?? '')
    .split('\n')
    .slice(2)
    .map((line) => line.split(':')[0]?.trim() ?? '')
    .filter(Boolean);
}
