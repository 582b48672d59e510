import { spawn } from 'node:child_process';
import { processStat } from '../host/procfs';
import type { NotedProcess } from './remains';

/**
 * Constant text of a small shell that outlives the supervisor: it reads from a pipe that the supervisor holds. A line
 * `process PID START` names what must be killed, `done` means that all is gone, and the end of the pipe without it
 * means that the supervisor was killed. Then all that was named, the children of the starter (container and image
 * server) and the starter are killed, each only if its pid was not reused (field 22 of its stat; the text up to the
 * last parenthesis is cut off), and the run directory and the index entry are removed.
 */
const reaperScript = `
starter=$1 started=$2 run=$3 entry=$4 named=
while read -r word pid start; do
  [ "$word" = done ] && exit 0
  [ "$word" = process ] && named="$named $pid:$start"
done
same() {
  read -r stat <"/proc/$1/stat" || return
  expected=$2
  set -- \${stat##*) }
  [ "\${20}" = "$expected" ]
}
{
  for process in $named; do
    same "\${process%:*}" "\${process#*:}" && kill -9 "\${process%:*}"
  done
  if same "$starter" "$started"; then
    for thread in /proc/"$starter"/task/*; do
      children=
      read -r children <"$thread/children"
      [ -n "$children" ] && kill -9 $children
    done
    kill -9 "$starter"
  fi
} 2>/dev/null
rm -rf -- "$run"
rm -f -- "$entry"
`;

/** The supervisor's handle on its reaper. */
export interface Reaper {
  /** Names what must be killed, whatever became of the starter. */
  note(processes: readonly NotedProcess[]): void;
  /** All is gone: the reaper ends without doing anything. */
  release(): void;
}

/**
 * Starts the reaper for the process that was started as `apptainer`. Should the supervisor be killed, the container
 * is gone as soon as the kernel closes the pipe.
 *
 * @param starter pid of that process, a child of the supervisor
 * @param runDirectory removed by the reaper
 * @param indexEntry file, removed by the reaper
 * @param onFailure called when it could not be started, or ended before it was released
 */
export function startReaper(
  starter: number,
  runDirectory: string,
  indexEntry: string,
  onFailure: () => void,
): Reaper {
  const startTime = processStat(starter)?.startTime ?? '';
  const reaper = spawn(
    '/bin/sh',
    ['-c', reaperScript, 'sandboxed-agent-reaper', String(starter), startTime, runDirectory, indexEntry],
    { cwd: '/', env: { PATH: '/usr/bin:/bin' }, stdio: ['pipe', 'ignore', 'ignore'], detached: true },
  );
  reaper.unref();
  reaper.on('error', onFailure);
  reaper.on('exit', onFailure);
  reaper.stdin.on('error', () => undefined);
  return {
    note: (processes) => {
      reaper.stdin.write(processes.map(({ pid, startTime }) => `process ${pid} ${startTime}\n`).join(''));
    },
    release: () => {
      reaper.off('exit', onFailure);
      reaper.stdin.end('done\n');
    },
  };
}
