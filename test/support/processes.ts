import { isRunning, listProc, processStat, processTree, readProc } from '../../src/host/procfs';

/** A process that can be told from a later one with the same pid. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTime: string;
  /** for people */
  readonly commandLine: string;
}

/** A process and all below it, as they are now. */
export function processesBelow(root: number): KnownProcess[] {
  return processTree(root).flatMap(know);
}

/** Everything that this user runs now. */
export function ownProcesses(): KnownProcess[] {
  const user = String(process.getuid?.());
  return (listProc('') ?? [])
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => /^Uid:\t(\d+)/m.exec(readProc(`${name}/status`) ?? '')?.[1] === user)
    .flatMap((name) => know(Number(name)));
}

/** Those that still run. A zombie does not. */
export function stillRunning(processes: readonly KnownProcess[]): KnownProcess[] {
  return processes.filter(({ pid, startTime }) => isRunning(pid, startTime));
}

function know(pid: number): KnownProcess[] {
  const stat = processStat(pid);
  const commandLine = (readProc(`${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
  return stat === undefined ? [] : [{ pid, startTime: stat.startTime, commandLine }];
}
