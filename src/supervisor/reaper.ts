import { spawn } from 'node:child_process';
import { homeLockContent, homeLockPath, type HeldLock } from '../host/homeLock';
import { identifyProcess, type ProcessIdentity } from '../host/processIdentity';

/**
 * Constant text of a small shell that outlives the supervisor: it reads from a pipe that the supervisor holds. A line
 * `process PID START` names what must be killed whatever became of the starter, which an agent can end. The end of
 * the pipe means that the supervisor was killed, because one that ends kills its reaper. Then it kills what was named
 * and the session that the starter leads or led (Apptainer, the container's init with all that is in it, the image
 * server), until nothing of it is left. Of /proc/PID/stat, cut after the name in its second field, field 1 is the
 * state, 4 the session and 20 the start time: a process with another start time than was named, and a session whose
 * number was given to a younger leader, are not ours. The lock on the agent's home, which other computers can't know
 * to be nobody's, goes as in homeLock.ts: not while somebody else takes it away, and only if it is still ours. With
 * the index entry goes what the supervisor was killed over while it wrote it anew (sandboxIndex.ts).
 */
const reaperScript = `
starter=$1 expected=$2 run=$3 entry=$4 temporary=$5 lock=$6 holder=$7 round=0 named= found=
while read -r word pid start; do
  [ "$word" = process ] && named="$named $pid:$start"
done
same() {
  read -r stat <"/proc/$1/stat" || return
  start=$2
  set -- \${stat##*) }
  [ "\${20}" = "$start" ]
}
for process in $named; do
  same "\${process%:*}" "\${process#*:}" && kill -9 "\${process%:*}"
done 2>/dev/null
if read -r stat <"/proc/$starter/stat"; then
  set -- \${stat##*) }
  [ "\${20}" = "$expected" ] || round=50
fi 2>/dev/null
while [ $round -lt 50 ]; do
  round=$((round + 1)) found=
  for process in /proc/[0-9]*; do
    read -r stat <"$process/stat" || continue
    set -- \${stat##*) }
    if [ "$4" = "$starter" ] && [ "$1" != Z ] && [ "\${20}" -ge "$expected" ]; then
      kill -9 "\${process#/proc/}" && found=1
    fi
  done
  [ "$found" ] || break
done 2>/dev/null
if [ "$lock" ] && [ ! "$found" ] && (set -C && : >"$lock.guard"); then
  held=
  IFS= read -r held <"$lock"
  [ "$held" = "$holder" ] && rm -f -- "$lock"
  rm -f -- "$lock.guard"
fi 2>/dev/null
rm -rf -- "$run"
if [ "$temporary" ]; then
  chmod -R u+rwx -- "$temporary"
  rm -rf -- "$temporary"
  [ -e "$temporary" ] && exit
fi 2>/dev/null
[ "$lock" ] && [ "$found" ] && exit
[ "$entry" ] && rm -f -- "$entry" "$entry".*
`;

/** The supervisor's handle on its reaper. */
export interface Reaper {
  /** undefined when it could not be started */
  readonly process: ProcessIdentity | undefined;
  /** Names what must be killed, whatever became of the starter. */
  note(processes: readonly ProcessIdentity[]): void;
  /** All is gone: the reaper is killed, which also ends one that was stopped. */
  release(): void;
}

/** What a reaper removes when everything has ended. */
export interface ReaperRemovals {
  readonly runDirectory: string;
  /** a folder in which the agent can write */
  readonly temporaryFiles?: string;
  /** a file; it stays for the next sweep when something of the temporary files stayed, or of what needs the lock */
  readonly indexEntry?: string;
  /** of the agent's home, see `homeLock.ts`; it stays when it is not ours any more */
  readonly homeLock?: HeldLock | undefined;
}

/**
 * Starts the reaper for the process that was started as `apptainer`. Should the supervisor be killed, everything is
 * gone within a second: the kernel closes the pipe at once, and the rest took 0.1 s (measured).
 *
 * @param starter that process, a child of the supervisor
 * @param removals what it removes at last
 * @param onFailure called when it could not be started, or ended before it was released
 */
export function startReaper(
  starter: ProcessIdentity,
  { runDirectory, temporaryFiles = '', indexEntry = '', homeLock }: ReaperRemovals,
  onFailure: () => void,
): Reaper {
  const { pid, startTime } = starter;
  const reaper = spawn(
    '/bin/sh',
    [
      '-c',
      reaperScript,
      'sandboxed-agent-reaper',
      String(pid),
      startTime,
      runDirectory,
      indexEntry,
      temporaryFiles,
      ...(homeLock ? [homeLockPath(homeLock.folder), homeLockContent(homeLock.holder)] : ['', '']),
    ],
    { cwd: '/', env: { PATH: '/usr/bin:/bin' }, stdio: ['pipe', 'ignore', 'ignore'], detached: true },
  );
  reaper.unref();
  reaper.on('error', onFailure);
  reaper.on('exit', onFailure);
  reaper.stdin.on('error', () => undefined);
  return {
    process: reaper.pid === undefined ? undefined : identifyProcess(reaper.pid),
    note: (processes) => {
      reaper.stdin.write(processes.map((noted) => `process ${noted.pid} ${noted.startTime}\n`).join(''));
    },
    release: () => {
      reaper.off('exit', onFailure);
      reaper.kill('SIGKILL');
    },
  };
}
