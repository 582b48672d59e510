import { statSync } from 'node:fs';
import type { HostService } from '../host/abstractSockets';
import { identifyTarget } from '../host/fileIdentity';
import { childProcesses, isWhole, boundedProcessTree, readProc, readProcLink } from '../host/procfs';
import {
  namespaceNames,
  type ContainerFacts,
  type ImageServer,
  type LauncherFacts,
  type NamespaceState,
} from '../sandbox/facts';
import { hostPathsOf, rememberingMountinfo, type Mount } from '../sandbox/mountinfo';
import type { FileIdentity } from '../sandbox/specification';
import { isImageServer, type ContainerProcesses } from './containerProcesses';
import { descriptorFacts } from './descriptorFacts';
import type { GateFacts } from './gateFacts';
import { readProcessFacts } from './processFacts';

/** Threads of all processes: more than any analysis starts at once, few enough to look at each in half a second. */
const mostThreads = 8192;

/** Written by group or others, setuid, setgid: inode(7). */
const openToOthers = 0o6022;

const mountsIn = rememberingMountinfo();

/**
 * Reads from the host's /proc what the verdict needs, in bounded time. `undefined` when the container ended meanwhile
 * or began to, because the kernel takes its namespaces and mounts away before it is gone,
 * or when this process may open no more files: then nothing that was read can be trusted to be about it.
 */
export function readContainerFacts(
  container: ContainerProcesses,
  atGate: GateFacts,
  hostServices: readonly HostService[],
): ContainerFacts | undefined {
  const { init, starter, initStartTime } = container;
  const time = Date.now();
  const mounts = mountsIn(readProc(`${init}/mountinfo`) ?? '');
  const hostMounts = mountsIn(readProc('self/mountinfo') ?? '');
  const starterMounts = mountsIn(readProc(`${starter}/mountinfo`) ?? '');
  const { pids, isComplete } = boundedProcessTree(init, mostThreads);
  const facts: ContainerFacts = {
    time,
    namespaces: namespaces(init),
    mounts,
    hostMounts,
    starterMounts,
    imageServers: imageServers(starter),
    identities: identities(mounts, hostMounts),
    processes: pids.flatMap((pid) => readProcessFacts(pid)),
    isCrowded: !isComplete,
    launcher: launcherFacts(init, atGate.launcher),
    hostServices,
    ...descriptorFacts(pids, init, mounts),
    inheritedStreams: atGate.streams,
    terminal: readProcLink(`${starter}/fd/0`),
    interfaces: interfaces(init),
    environmentNames: atGate.environmentNames,
    imageVariables: atGate.imageVariables,
  };
  // what is not there and what can't be opened look the same to the readers
  const couldRead = readProc('self/stat') !== undefined;
  return couldRead && isWhole(init, initStartTime) ? facts : undefined;
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

/** Whether the program of the container's init is still what it was at the gate, and who could have changed it. */
function launcherFacts(init: number, atGate: FileIdentity | undefined): LauncherFacts | undefined {
  try {
    const program = `/proc/${init}/exe`;
    const { uid, mode } = statSync(program);
    const present = identifyTarget(program);
    const isUnchanged = atGate?.inode === present?.inode && atGate?.changedTime === present?.changedTime;
    return { isOurs: uid === process.getuid?.(), isOpenToOthers: (mode & openToOthers) !== 0, isUnchanged };
  } catch {
    return undefined;
  }
}

/** `undefined` when they could not be read. */
function interfaces(init: number): string[] | undefined {
  return readProc(`${init}/net/dev`)
    ?.split('\n')
    .slice(2)
    .map((line) => line.split(':')[0]?.trim() ?? '')
    .filter(Boolean);
}
