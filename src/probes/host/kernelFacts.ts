import { existsSync, lstatSync, readdirSync, statfsSync } from 'node:fs';
import { identifyProcess, type ProcessIdentity } from '../../host/processIdentity';
import { listProc, processStatus, processTree, readProc, readProcLink } from '../../host/procfs';
import { parseMountinfo } from '../../sandbox/mountinfo';
import type { KernelFacts, SeenProcess } from '../seen';

const namespaceNames = ['mnt', 'pid', 'ipc', 'user', 'uts', 'net'];
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

/** Everything that runs in the sandbox: what is in the process namespace of the inside part, if it has one of its own. */
export function sandboxProcesses(inside: number): ProcessIdentity[] {
  const space = readProcLink(`${inside}/ns/pid`);
  const isOwn = space !== undefined && space !== readProcLink('self/ns/pid');
  const pids = isOwn
    ? (listProc('') ?? [])
        .filter((name) => /^\d+$/.test(name) && readProcLink(`${name}/ns/pid`) === space)
        .map(Number)
    : processTree(inside);
  return pids.flatMap((pid) => identifyProcess(pid) ?? []);
}

/**
 * Reads what the kernel says of a sandbox. `undefined` when its inside part is gone.
 * @param hostPids processes of the host that started it and are no part of it
 */
export function readKernelFacts(
  inside: number,
  hostPids: readonly number[],
  token: string,
): KernelFacts | undefined {
  if (!identifyProcess(inside)) return undefined;
  const mounts = parseMountinfo(readProc(`${inside}/mountinfo`) ?? '');
  const own = terminalAndGroup(inside);
  const hosts = hostPids.map(terminalAndGroup);
  return {
    sharedNamespaces: namespaceNames.filter(
      (name) => readProcLink(`${inside}/ns/${name}`) === readProcLink(`self/ns/${name}`),
    ),
    userNamespace: readProcLink(`${inside}/ns/user`),
    processes: processTree(inside).flatMap(readProcess),
    mounts,
    interfaces: interfaceNames(inside),
    devices: devicesOf(inside),
    sharesProcessGroup: hosts.some(({ group }) => group === own.group),
    sharesTerminal: own.terminal !== '0' && hosts.some(({ terminal }) => terminal === own.terminal),
    processLimit: limitOf(inside, 'Max processes', 'pids.max'),
    memoryLimit: limitOf(inside, 'Max address space', 'memory.max'),
    temporaryBytes: temporaryBytes(inside),
    rootChanges: rootChanges(inside, token),
  };
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

/** A limit below the one that we have ourselves: of the process, or of a control group of its own. */
function limitOf(pid: number, row: string, file: string): number | undefined {
  const hard = (of: number | string): number => {
    const found = new RegExp(`^${row}\\s+\\S+\\s+(\\S+)`, 'm').exec(readProc(`${of}/limits`) ?? '')?.[1];
    return found === undefined || found === 'unlimited' ? Infinity : Number(found);
  };
  if (hard(pid) < hard('self')) return hard(pid);
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
