import { spawn } from 'node:child_process';
import { processStat } from '../host/procfs';

/**
 * Constant text of a small shell that outlives the supervisor: it waits on a pipe that the supervisor holds. The
 * word `done` means that all is gone; the end of the pipe without it means that the supervisor was killed. Then the
 * children of the starter (container and image server), then the starter are killed, if the starter's pid was not
 * reused (field 22 of its stat; the text up to the last parenthesis is cut off), and the run directory and the
 * index entry are removed.
 */
const reaperScript = `
read -r word
[ "$word" = done ] && exit 0
if read -r stat <"/proc/$1/stat"; then
  starter=$1 expected=$2 run=$3 entry=$4
  set -- \${stat##*) }
  if [ "\${20}" = "$expected" ]; then
    for thread in /proc/"$starter"/task/*; do
      children=
      read -r children <"$thread/children"
      [ -n "$children" ] && kill -9 $children
    done
    kill -9 "$starter"
  fi
  set -- "$starter" "$expected" "$run" "$entry"
fi 2>/dev/null
rm -rf -- "$3"
rm -f -- "$4"
`;

/** The supervisor's handle on its reaper. */
export interface Reaper {
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
    release: () => {
      reaper.off('exit', onFailure);
      reaper.stdin.end('done\n');
    },
  };
}
