import { setTimeout as delay } from 'node:timers/promises';
import { releaseHomeLock } from './homeLock';
import { allProcesses, killProcess, sessionMembers, type ProcessIdentity } from './processIdentity';
import { isRunning, readProc } from './procfs';
import { isRunDirectory, removeRunDirectory } from './runDirectory';
import {
  isAlive,
  isOfThisBoot,
  isOfThisMachine,
  mayBeElsewhere,
  readIndexEntries,
  removeIndexEntry,
  removeUnfinishedEntries,
  type SandboxIndexEntry,
} from './sandboxIndex';

/** A part of a sandbox that can outlive the others. */
export type SandboxPart = 'supervisor' | 'container' | 'apptainer' | 'reaper';

/** What was done about a sandbox that nobody kept any more. */
export interface Abandoned {
  readonly entry: SandboxIndexEntry;
  /** what still ran and was killed; empty when only files were left, or nothing */
  readonly killed: readonly SandboxPart[];
  /** what was killed and did not end, because the kernel waits for a file system or a device */
  readonly left: readonly ProcessIdentity[];
  /** false when the run directory, the temporary files or the home's lock stay, because they could not be removed */
  readonly isRemoved: boolean;
}

/** After SIGKILL of its init a container is gone in about 100 ms (measured), and the starter ends by itself. */
const initMilliseconds = 400;
/** How long what was killed one by one may take to end. */
const killMilliseconds = 1000;
const pollMilliseconds = 10;

/**
 * Everything that outlives a container is started before its gate opens, which must be within two minutes
 * (`supervisor/sandbox.ts`), and twice that is left. Clock ticks are 1/100 s on every Linux (USER_HZ, time(7)).
 */
const youngestMember = 240 * 100;

/**
 * Ends what is left of a sandbox by what the index knows: its supervisor first, so that nothing new comes, then the
 * container's init, which takes all of the container with it, then Apptainer and its image server; at last it
 * removes the run directory, the lock on the agent's home and the entry. No process is killed by its pid alone, and no
 * link is followed.
 *
 * It takes up to 1.5 s, and normally 0.2 s. It may be called twice at the same time, and again when it was
 * interrupted: the entry goes last, and stays when something could not be ended or removed.
 *
 * @param indexDirectory where the entry is
 * @returns `undefined` when the entry is of another host, which is not ours to touch, or when somebody else was
 *   quicker
 */
export async function endAbandoned(
  indexDirectory: string,
  entry: SandboxIndexEntry,
): Promise<Abandoned | undefined> {
  if (!(await isOfThisMachine(entry))) return undefined;
  const { killed, left } = (await isOfThisBoot(entry)) ? await endProcesses(entry) : { killed: [], left: [] };
  const isRemoved = left.length === 0 && (await removed(entry));
  const wasEntered = isRemoved && (await removeIndexEntry(indexDirectory, entry.id));
  // it may have been killed while it wrote one
  await removeUnfinishedEntries(indexDirectory);
  if (isRemoved && !wasEntered && killed.length === 0) return undefined;
  return { entry, killed, left, isRemoved };
}

/**
 * Ends what supervisors of this host left that are no more: killed together with their reapers, or ended with the
 * computer. What one of them left is gone within {@link endAbandoned}'s time after this is called; until then a
 * companion has killed its agent already, within a second, unless it was stopped or killed itself.
 *
 * @returns what was done about each; entries that another window took care of meanwhile are left out, and those of
 *   other machines
 */
export async function sweepDeadEntries(directory: string): Promise<Abandoned[]> {
  const entries = await readIndexEntries(directory);
  const swept = await Promise.all(
    entries.map(async (entry) => {
      const isOthers = (await isAlive(entry)) || (await mayBeElsewhere(directory, entry));
      return isOthers ? undefined : endAbandoned(directory, entry);
    }),
  );
  // also when there was no entry yet
  await removeUnfinishedEntries(directory);
  return swept.filter((abandoned) => abandoned !== undefined);
}

async function removed({ runDirectory, temporaryFiles, homeLock }: SandboxIndexEntry): Promise<boolean> {
  const folders = [runDirectory, ...(temporaryFiles === undefined ? [] : [temporaryFiles])];
  const removals = await Promise.allSettled([
    ...folders.map(removeRunDirectory),
    // no other computer can know that its holder is gone
    homeLock && releaseHomeLock(homeLock.folder, homeLock.holder),
  ]);
  return removals.every(({ status }) => status === 'fulfilled');
}

async function endProcesses(entry: SandboxIndexEntry): Promise<Pick<Abandoned, 'killed' | 'left'>> {
  const { supervisorPid, supervisorStartTime, init, reaper } = entry;
  const supervisor = { pid: supervisorPid, startTime: supervisorStartTime };
  const killed = new Set<SandboxPart>();
  const kill = (part: SandboxPart, process: ProcessIdentity | undefined): void => {
    if (process && killProcess(process)) killed.add(part);
  };
  kill('supervisor', supervisor);
  if (init && isRunning(init.pid, init.startTime)) {
    kill('container', init);
    await until(() => remaining(entry).length === 0, initMilliseconds);
  }
  await until(() => {
    remaining(entry).forEach((process) => kill('apptainer', process));
    return remaining(entry).length === 0 && !isRunning(supervisor.pid, supervisor.startTime);
  }, killMilliseconds);
  // it ends by itself, unless it was stopped; it must not remove files at the same time as we
  kill('reaper', reaper);
  return { killed: [...killed], left: remaining(entry) };
}

/** What still runs of the host's side of a container: whatever is inside ends with it. */
function remaining({ starter, init, runDirectory }: SandboxIndexEntry): ProcessIdentity[] {
  const marked = starter ? [] : processesNaming(runDirectory);
  const leaders = starter ? [starter] : marked;
  const found = [
    ...[starter, init].filter((process) => process !== undefined),
    ...marked,
    ...leaders.flatMap((leader) => sessionMembers(leader, youngestMember)),
  ];
  return found.filter(({ pid, startTime }) => isRunning(pid, startTime));
}

/**
 * Apptainer's own processes whose environment names a run directory: it hands its configuration, with all binds, on
 * to itself in a variable (measured with 1.4.5). For entries that were written before Apptainer was started.
 */
function processesNaming(runDirectory: string): ProcessIdentity[] {
  if (!isRunDirectory(runDirectory)) return [];
  return allProcesses()
    .filter(({ pid }) => readProc(`${pid}/environ`)?.includes(`${runDirectory}/inside`))
    .map(({ pid, startTime }) => ({ pid, startTime }));
}

async function until(condition: () => boolean, milliseconds: number): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!condition() && performance.now() < deadline) await delay(pollMilliseconds);
}
