import { listProc, readProc } from '../../../src/host/procfs';

/** Time on a processor of all threads of some processes, in nanoseconds: the first number of /proc/PID/schedstat. */
export function processorNanoseconds(pids: readonly number[]): number {
  const threads = pids.flatMap((pid) =>
    (listProc(`${pid}/task`) ?? []).map((thread) => `${pid}/task/${thread}`),
  );
  return threads.reduce(
    (sum, thread) => sum + Number(readProc(`${thread}/schedstat`)?.split(' ')[0] ?? 0),
    0,
  );
}

/** Memory that is a process's own, with its part of what it shares, in MB: PSS of proc_pid_smaps(5). */
export function proportionalMegabytes(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readProc(`${pid}/smaps_rollup`) ?? '')?.[1] ?? NaN) / 1024;
}
