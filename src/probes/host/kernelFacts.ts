import { existsSync, lstatSync, readdirSync, statfsSync } from 'node:fs';
import { identifyProcess, type ProcessIdentity } from '../../host/processIdentity';
import { listProc, processStatus, processTree, readProc, readProcLink } from '../../host/procfs';
import { parseMountinfo } from '../../sandbox/mountinfo';
import type { Exposure, KernelFacts, SecretName, SeenProcess } from '../seen';
import { exposureOf } from './exposure';

const namespaceNames = ['mnt', 'pid', 'ipc', 'user', 'uts', 'net'];
/** SIGHUP, SIGINT and SIGTERM of <signal.h>, as SigIgn of proc_pid_status(5) has them. */
const endSignals = 0x4003n;

const capabilitySets = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'];

/** Where the probe `write.root` tries to write. */
const rootFolders = ['/usr', '/etc', '/bin', '/opt', '/lib'];

/**
 * The process of the host's that is the inside part, before it has tried anything: of those that have
 * the plan as an argument the one that none of the others has for a parent.
 */
export function findInside(encodedPlan: string): number | undefined {
  const holders = (listProc('') ?? [])
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => (readProc(`${name}/cmdline`) ?? '').split('\0').includes(encodedPlan))
    .map(Number);
  return holders.find((pid) => !processTree(pid).some((other) => other !== pid && holders.includes(other)));
}

/**
 * Everything that runs in the sandbox, its first process first: what is in the process namespace of the inside part, if
 * it has one of its own, and all below that, whatever namespaces those have made for themselves.
 */
export function sandboxProcesses(inside: number): ProcessIdentity[] {
  const space = readProcLink(`${inside}/ns/pid`);
  const isOwn = space !== undefined && space !== readProcLink('self/ns/pid');
  const members = isOwn
    ? (listProc('') ?? [])
        .filter((name) => /^\d+$/.test(name) && readProcLink(`${name}/ns/pid`) === space)
        .map(Number)
    : [inside];
  const isFirst = (pid: number): boolean => /\t1$/.test(processStatus(pid)?.get('NSpid') ?? '');
  const first = members.find(isFirst) ?? inside;
  const pids = new Set([...processTree(first), ...members]);
  return [...pids].flatMap((pid) => identifyProcess(pid) ?? []);
}

/** What is asked of the kernel. */
export interface KernelQuestions {
  /** processes of the host that started the sandbox and are no part of it */
  readonly hostPids: readonly number[];
  readonly token: string;
  /** of the host: whether the sandbox can come to them */
  readonly places: readonly string[];
  readonly secrets: Readonly<Partial<Record<SecretName, string>>>;
  /** it runs a program that we gave it: what the sandbox has of its own beside that is not held against it */
  readonly isTrusted: boolean;
}

/** Reads what the kernel says of a sandbox. `undefined` when its inside part is gone. */
export function readKernelFacts(
  inside: number,
  { hostPids, token, places, secrets, isTrusted }: KernelQuestions,
): KernelFacts | undefined {
  if (!identifyProcess(inside)) return undefined;
  // not only what the inside part admits to have started: it may have sent another one forward
  const seen = isTrusted ? processTree(inside) : sandboxProcesses(inside).map(({ pid }) => pid);
  const processes = seen.flatMap(readProcess);
  const pids = processes.map(({ pid }) => pid);
  const mounts = parseMountinfo(readProc(`${inside}/mountinfo`) ?? '');
  // a program can leave its session, but not take all others along
  const own = [inside, ...pids].map(terminalAndGroup);
  const hosts = hostPids.map(terminalAndGroup);
  return {
    sharedNamespaces: namespaceNames.filter((name) => {
      const ours = readProcLink(`self/ns/${name}`);
      return [inside, ...pids].some((pid) => readProcLink(`${pid}/ns/${name}`) === ours);
    }),
    // of the first: what runs inside may have made itself another one
    userNamespace: readProcLink(`${pids[0] ?? inside}/ns/user`),
    processes,
    mounts,
    exposed: exposures(places, processes),
    variables: secretsInProcesses(pids, secrets),
    interfaces: interfaceNames(inside),
    devices: devicesOf(inside),
    sharesProcessGroup: hosts.some((host) => own.some(({ group }) => group === host.group)),
    sharesTerminal: hosts.some(
      (host) => host.terminal !== '0' && own.some(({ terminal }) => terminal === host.terminal),
    ),
    processLimit: limitOf(inside, 'pids.max'),
    memoryLimit: limitOf(inside, 'memory.max'),
    temporaryBytes: temporaryBytes(inside),
    rootChanges: rootChanges(inside, token),
  };
}

/** By the mounts of all processes: one may have made mounts of its own. */
function exposures(places: readonly string[], processes: readonly SeenProcess[]): Map<string, Exposure> {
  const hostMounts = parseMountinfo(readProc('self/mountinfo') ?? '');
  const views = new Map(processes.map(({ mounts }) => [JSON.stringify(mounts), mounts]));
  return new Map(
    places.map((path): [string, Exposure] => {
      const found = [...views.values()].map((mounts) => exposureOf(path, mounts, hostMounts));
      return [path, (['writable', 'readOnly'] as const).find((one) => found.includes(one)) ?? 'none'];
    }),
  );
}

/** @returns those that stand in the environment or the arguments of a process, as it was started */
export function secretsInProcesses(
  pids: readonly number[],
  secrets: Readonly<Partial<Record<SecretName, string>>>,
): Set<SecretName> {
  const texts = pids.map((pid) => `${readProc(`${pid}/environ`) ?? ''}${readProc(`${pid}/cmdline`) ?? ''}`);
  const names = Object.entries(secrets).filter(([, secret]) => texts.some((text) => text.includes(secret)));
  return new Set(names.map(([name]) => name as SecretName));
}

/**
 * Bytes that the host's process that holds the terminal has read, as the kernel counts them (rchar of proc_pid_io(5)):
 * its first thread, since others serve the network. What a sandbox says to have written may have gone elsewhere.
 */
export function bytesRead(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(readProc(`${pid}/task/${pid}/io`) ?? '')?.[1] ?? 0);
}

function readProcess(pid: number): SeenProcess[] {
  const status = processStatus(pid);
  if (!status) return [];
  const sets = capabilitySets.map((name) => BigInt(`0x${status.get(name) ?? '0'}`));
  return [
    {
      pid,
      capabilities: sets.reduce((union, set) => union | set, 0n),
      noNewPrivileges: status.get('NoNewPrivs') === '1',
      seccompMode: Number(status.get('Seccomp') ?? 0),
      ignoresEnd: (BigInt(`0x${status.get('SigIgn') ?? '0'}`) & endSignals) === endSignals,
      userNamespace: readProcLink(`${pid}/ns/user`),
      descriptors: listProc(`${pid}/fd`)?.flatMap((fd) => readProcLink(`${pid}/fd/${fd}`) ?? []),
      mounts: parseMountinfo(readProc(`${pid}/mountinfo`) ?? ''),
    },
  ];
}

/** Fields 5 and 7 of /proc/PID/stat (proc_pid_stat(5)). */
function terminalAndGroup(pid: number): { readonly group: string; readonly terminal: string } {
  const text = readProc(`${pid}/stat`) ?? '';
  const [, , group = `none of ${pid}`, , terminal = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { group, terminal };
}

function interfaceNames(pid: number): string[] {
  const lines = (readProc(`${pid}/net/dev`) ?? '').split('\n').slice(2);
  return lines.map((line) => line.split(':')[0]?.trim() ?? '').filter(Boolean);
}

function devicesOf(pid: number): string[] {
  const folder = `/proc/${pid}/root/dev`;
  try {
    return readdirSync(folder).filter((name) => {
      const stats = lstatSync(`${folder}/${name}`);
      return stats.isBlockDevice() || stats.isCharacterDevice();
    });
  } catch {
    return ['unreadable'];
  }
}

/** Of a control group of its own: a limit of a process (ulimit) is none for all, and what runs inside can set it. */
function limitOf(pid: number, file: string): number | undefined {
  const group = controlGroup(pid);
  if (group === undefined || group === controlGroup('self')) return undefined;
  const value = Number(readFileOf(`/sys/fs/cgroup${group}/${file}`));
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function controlGroup(pid: number | string): string | undefined {
  return /^0::(.*)$/m.exec(readProc(`${pid}/cgroup`) ?? '')?.[1];
}

function readFileOf(path: string): string {
  return readProc(`self/root${path}`) ?? '';
}

/** The size of its /tmp, if that is a file system that the host does not have. */
function temporaryBytes(pid: number): number | undefined {
  const hosts = new Set(parseMountinfo(readProc('self/mountinfo') ?? '').map(({ device }) => device));
  const mount = parseMountinfo(readProc(`${pid}/mountinfo`) ?? '').findLast(
    ({ mountPoint }) => mountPoint === '/tmp',
  );
  if (!mount || hosts.has(mount.device)) return undefined;
  try {
    const { blocks, bsize } = statfsSync(`/proc/${pid}/root/tmp`);
    return blocks * bsize;
  } catch {
    return undefined;
  }
}

/** A file system of the sandbox's own may keep the host out; then nothing is known of it. */
function rootChanges(pid: number, token: string): string[] {
  const root = `/proc/${pid}/root`;
  return existsSync(`${root}/etc`)
    ? rootFolders.filter((folder) => existsSync(`${root}${folder}/${token}`))
    : ['unreadable'];
}
