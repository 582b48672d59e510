import type { Bind } from './binds';
import type { ContainerFacts } from './facts';
import type { Expectation } from './launchPlan';
import { message, type Message } from './message';
import { hostPathsOf, type Mount } from './mountinfo';
import { isSameOrInside } from './paths';
import type { FileIdentity } from './specification';
import type { JudgedPhase, VerdictLine, VisiblePath } from './verdict';

/** File systems that hold no data of the host when their superblock is the container's own. */
const privateFileSystems = new Set(['tmpfs', 'proc', 'mqueue', 'devpts']);

/** Device nodes that `--containall` binds from the host, each at its own name (measured with Apptainer 1.4.5). */
const allowedDevices = new Set(['null', 'zero', 'full', 'random', 'urandom', 'tty', 'console']);

export interface HostMount {
  readonly mount: Mount;
  /** under which the host sees it; empty when the host shows no such part of that file system */
  readonly hostPaths: readonly string[];
}

/** Mounts whose superblock the host has mounted too, apart from device nodes: they show data of the host. */
export function hostDataMounts(facts: ContainerFacts): HostMount[] {
  const hostDevices = new Set(facts.hostMounts.map(({ device }) => device));
  return facts.mounts.flatMap((mount) => {
    if (mount.fileSystem === 'devtmpfs' || isKernelFileSystem(mount) || !hostDevices.has(mount.device)) {
      return [];
    }
    const hostPaths = hostPathsOf(mount, facts.hostMounts);
    // Apptainer binds the terminal that it was started in
    const isTerminal =
      mount.mountPoint === '/dev/console' && hostPaths.some((path) => path === facts.terminal);
    return isTerminal ? [] : [{ mount, hostPaths }];
  });
}

/** Every path of the host that the container's mounts show, for the report. */
export function visiblePaths(facts: ContainerFacts): VisiblePath[] {
  return hostDataMounts(facts).map(({ mount, hostPaths }) => ({
    hostPath: hostPaths[0] ?? '?',
    containerPath: mount.mountPoint,
    mode: mount.readOnly ? 'readOnly' : 'readWrite',
  }));
}

/** Whether the host's paths that are visible are those that were asked for, in the modes that were asked for. */
export function judgeHostPaths(
  facts: ContainerFacts,
  { binds }: Expectation,
  phase: JudgedPhase,
): VerdictLine {
  const guards = binds.filter(({ protects }) => protects !== undefined);
  const seen = hostDataMounts(facts).filter((mount) => guards.length === 0 || !isGuard(mount, binds, facts));
  const others = binds.filter((bind) => !guards.includes(bind));
  const expected = new Map(others.map((bind) => [bind.destination, bind]));
  const mismatches = [
    ...seen.flatMap(
      (visible) =>
        notAsChecked(visible, guards) ??
        mismatch(visible, expected.get(visible.mount.mountPoint), facts) ??
        [],
    ),
    ...others.filter((bind) => !seen.some(({ mount }) => mount.mountPoint === bind.destination)).map(lost),
  ];
  // while it runs, what the host itself did to a folder is a finding; anything else is a way out
  const isFatal = ({ kind }: Mismatch): boolean => phase === 'gate' || kind === 'unexpected';
  const fatal = mismatches.find(isFatal);
  const worst = fatal ?? mismatches[0];
  const fact = 'hostPaths';
  return worst
    ? { fact, status: fatal ? 'broken' : 'degraded', detail: worst.detail }
    : { fact, status: 'holds', detail: message('only what was asked for: {0} folders', seen.length) };
}

/**
 * Whether a mount is a read-only bind of the workspace over itself, wherever it is now: whoever may write there can
 * rename a folder above it, or make it unreadable for us. Nothing but the workspace is seen through it.
 */
function isGuard(visible: HostMount, binds: readonly Bind[], facts: ContainerFacts): boolean {
  const isPart = ({ mode, source, destination }: Bind): boolean =>
    mode === 'readWrite' &&
    source === destination &&
    visible.hostPaths.some((path) => isSameOrInside(source, path));
  return (
    binds.some((bind) => bind.protects !== undefined && shows(visible, bind, facts)) ||
    (visible.mount.readOnly && binds.some(isPart))
  );
}

/** Something is at the place of a guard that is none: its name may be one that an agent has chosen. */
function notAsChecked({ mount }: HostMount, guards: readonly Bind[]): Mismatch | undefined {
  const bind = guards.find(({ destination }) => destination === mount.mountPoint);
  return (
    bind && {
      kind: 'unexpected',
      detail: message('{0} can be written, or is not what was checked', bind.protects ?? ''),
    }
  );
}

/** Whether a mount shows, read-only, what a bind was to show when it was checked. */
export function shows({ mount, hostPaths }: HostMount, bind: Bind, facts: ContainerFacts): boolean {
  return (
    mount.readOnly &&
    hostPaths.some((path) => bind.identity && isSameFolder(bind.identity, facts.identities.get(path)))
  );
}

function lost({ source, destination }: Bind): Mismatch {
  return { kind: 'lost', detail: message('{0} is no longer bound at {1}', source, destination) };
}

interface Mismatch {
  readonly kind: 'unexpected' | 'moved' | 'lost';
  readonly detail: Message;
}

function mismatch(
  { mount, hostPaths }: HostMount,
  bind: Bind | undefined,
  facts: ContainerFacts,
): Mismatch | undefined {
  const hostPath = hostPaths.find((path) => path === bind?.source) ?? hostPaths[0];
  if (hostPath === undefined) {
    const detail = message(
      'a part of a disk that the host does not show is visible at {0}',
      mount.mountPoint,
    );
    return { kind: 'unexpected', detail };
  }
  if (!bind) {
    return {
      kind: 'unexpected',
      detail: message('{0} of the host is visible at {1}', hostPath, mount.mountPoint),
    };
  }
  if (bind.mode === 'readOnly' && !mount.readOnly) {
    return { kind: 'unexpected', detail: message('{0} is writable, but was asked for read-only', hostPath) };
  }
  const present = facts.identities.get(hostPath);
  if (bind.identity && !isSameFolder(bind.identity, present)) {
    // a folder that the host removed has no path any more; the mount keeps what was checked
    return mount.root.endsWith('//deleted')
      ? { kind: 'moved', detail: message('{0} was removed on the host', bind.source) }
      : { kind: 'unexpected', detail: message('{0} is not the folder that was checked', hostPath) };
  }
  if (bind.isFile && bind.identity && !hasSameContent(bind.identity, present)) {
    return { kind: 'unexpected', detail: message('{0} was changed since it was checked', hostPath) };
  }
  return hostPath === bind.source
    ? undefined
    : {
        kind: bind.identity ? 'moved' : 'unexpected',
        detail: message('{0} is now {1} on the host', bind.source, hostPath),
      };
}

/** Whether a present thing is the one that was checked. A folder's size and times change as it is used; device and inode don't. */
function isSameFolder(checked: FileIdentity, present: FileIdentity | undefined): boolean {
  return present?.device === checked.device && present.inode === checked.inode;
}

/** Whether a file can only hold what it held when it was checked: a user can't set the time of a change (ctime). */
function hasSameContent(checked: FileIdentity, present: FileIdentity | undefined): boolean {
  return present?.size === checked.size && present.changedTime === checked.changedTime;
}

/** Interfaces of the kernel, as opposed to data: sysfs, cgroups, debugfs and the like. */
const kernelFileSystems = new Set([
  'proc',
  'sysfs',
  'cgroup',
  'cgroup2',
  'securityfs',
  'debugfs',
  'tracefs',
  'bpf',
  'efivarfs',
  'pstore',
  'configfs',
  'fusectl',
  'binfmt_misc',
  'hugetlbfs',
]);

function isKernelFileSystem(mount: Mount): boolean {
  return kernelFileSystems.has(mount.fileSystem);
}

/**
 * Whether the container sees its own /proc and nothing else of the kernel's, only harmless device nodes, and no
 * file system that could serve host data under a superblock of its own (FUSE, overlay).
 */
export function judgeKernelInterfaces(facts: ContainerFacts): VerdictLine {
  const fact = 'kernelInterfaces';
  const hostDevices = new Set(facts.hostMounts.map((mount) => mount.device));
  const unexpected = facts.mounts.find((mount) => {
    if (mount.mountPoint === '/') {
      return false;
    }
    if (mount.fileSystem === 'devtmpfs') {
      const name = mount.root.slice(1);
      return !allowedDevices.has(name) || mount.mountPoint !== `/dev/${name}`;
    }
    if (isKernelFileSystem(mount)) {
      return mount.fileSystem !== 'proc' || mount.mountPoint !== '/proc' || hostDevices.has(mount.device);
    }
    return !hostDevices.has(mount.device) && !privateFileSystems.has(mount.fileSystem);
  });
  return unexpected
    ? {
        fact,
        status: 'broken',
        detail: message('unexpected {0} at {1}', unexpected.fileSystem, unexpected.mountPoint),
      }
    : { fact, status: 'holds', detail: message('its own /proc, no /sys, harmless devices only') };
}
