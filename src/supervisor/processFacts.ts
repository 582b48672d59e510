import { listProc, processStatus } from '../host/procfs';
import type { ProcessFacts } from '../sandbox/facts';

/** The sets of /proc/PID/status (capabilities(7)). */
const capabilitySets = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];

/**
 * What the kernel says of a process in the container, over all of its threads: each has capabilities and a filter of
 * its own, and a process whose first thread has ended lives on in the others. Empty when it has ended.
 */
export function readProcessFacts(pid: number): ProcessFacts[] {
  const threads = (listProc(`${pid}/task`) ?? []).flatMap((thread) => readThread(pid, thread));
  const [first] = threads;
  return first
    ? [
        threads.reduce(
          (worst, thread) => ({
            pid,
            capabilities: worst.capabilities | thread.capabilities,
            noNewPrivileges: worst.noNewPrivileges && thread.noNewPrivileges,
            seccompMode: thread.seccompMode === 2 ? worst.seccompMode : thread.seccompMode,
          }),
          first,
        ),
      ]
    : [];
}

function readThread(pid: number, thread: string): ProcessFacts[] {
  const status = processStatus(`${pid}/task/${thread}`);
  const state = status?.get('State')?.charAt(0);
  if (!status || state === 'Z' || state === 'X') {
    return [];
  }
  return [
    {
      pid,
      capabilities: capabilitySets
        .map((set) => BigInt(`0x${status.get(set) ?? 'ffffffff'}`))
        .reduce((union, set) => union | set, 0n),
      noNewPrivileges: status.get('NoNewPrivs') === '1',
      seccompMode: Number(status.get('Seccomp') ?? 0),
    },
  ];
}
