import { readdir, rename, rm, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { parseAs, tryParse } from '../sandbox/parseAs';
import { integer } from '../sandbox/schemas';
import { identifiedPath, sandboxId, sandboxKind } from '../sandbox/specification';
import { heldLock } from './homeLock';
import { ageOf } from './leftLock';
import { identifyProcess, processIdentity, readBootId, readMachineId } from './processIdentity';
import { isRunning } from './procfs';
import { codeOf, createFile, readSmallFile, UnsafeFileError } from './safeFiles';

/**
 * What a live sandbox leaves in extension storage, so that a new window finds it: `<indexDirectory>/<id>.json`. It
 * is entered before anything of the sandbox exists, and again whenever more of it does, so that whoever finds it
 * without its supervisor knows what to end (`abandoned.ts`). Entries of older versions lack what is optional.
 */
export const sandboxIndexEntry = v.object({
  id: sandboxId,
  /** a home can be shared between hosts: an entry of another host or boot is not ours to touch */
  hostName: v.string(),
  bootId: v.string(),
  machineId: v.optional(v.string()),
  runDirectory: v.string(),
  /** the folder with the sandbox's temporary files */
  temporaryFiles: v.optional(v.string()),
  socket: v.string(),
  workspace: v.string(),
  /** the agent's home, empty for one in memory */
  home: v.optional(v.string()),
  /** that home, and those of other agents in the workspace; an empty folder lies over those that are in it */
  homes: v.optional(v.array(identifiedPath)),
  /** the lock on the home that the supervisor has, or had */
  homeLock: v.optional(heldLock),
  kind: sandboxKind,
  supervisorPid: integer,
  /** field 22 of /proc/PID/stat, clock ticks since boot (proc(5)): tells a reused pid */
  supervisorStartTime: v.string(),
  /** the supervisor does not listen yet */
  isStarting: v.optional(v.boolean()),
  /** nothing of the sandbox runs any more: its supervisor clears away what is left, and tells windows of the end */
  isOver: v.optional(v.boolean()),
  /** the shell that kills the rest should the supervisor be killed */
  reaper: v.optional(processIdentity),
  /** what was started as `apptainer`: leads the session of the container and its image server */
  starter: v.optional(processIdentity),
  /** pid 1 of the container, seen from the host */
  init: v.optional(processIdentity),
});
export type SandboxIndexEntry = v.InferOutput<typeof sandboxIndexEntry>;

const entryName = /^[0-9a-f]{16}\.json$/;
/** `<entry>.<boot>.<pid>.<start time>`: an entry on its way, and who writes it */
const temporaryName = /^[0-9a-f]{16}\.json\.([0-9a-f-]+)\.(\d+)\.(\d+)$/;
/** after this long nobody is writing any more, on whatever host */
const longestWriteMilliseconds = 24 * 60 * 60 * 1000;
/** Somebody who keeps a window open longer on another machine of the same name finds the sandbox no more. */
const longestLifeMilliseconds = 30 * 24 * 60 * 60 * 1000;
/** a dozen paths of at most 4096 bytes, escaped, and some more */
const maximumEntryBytes = 65536;

/** Enters a sandbox into the index: at once and whole, mode 0600. */
export async function writeIndexEntry(directory: string, entry: SandboxIndexEntry): Promise<void> {
  const target = join(directory, `${entry.id}.json`);
  const { pid, startTime } = identifyProcess(process.pid) ?? { pid: process.pid, startTime: '0' };
  const temporary = `${target}.${await readBootId()}.${pid}.${startTime}`;
  try {
    if (!(await createFile(temporary, JSON.stringify(parseAs(sandboxIndexEntry, entry))))) {
      throw new Error(`${temporary} exists already`);
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Takes a sandbox out of the index. @returns false when it was not there */
export async function removeIndexEntry(directory: string, id: string): Promise<boolean> {
  const path = join(directory, `${parseAs(sandboxId, id)}.json`);
  return unlink(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Removes entries that were being written when their writer was killed. */
export async function removeUnfinishedEntries(directory: string): Promise<void> {
  const bootId = await readBootId();
  for (const name of await entryNames(directory, temporaryName)) {
    const [, boot, pid, startTime] = temporaryName.exec(name) ?? [];
    const path = join(directory, name);
    const isOver =
      boot === bootId
        ? !isRunning(Number(pid), startTime ?? '')
        : ((await ageOf(path)) ?? 0) > longestWriteMilliseconds;
    if (isOver) await rm(path, { force: true });
  }
}

/** All entries of all hosts. What is no entry, or not ours, or too large, is left out; a missing index is empty. */
export async function readIndexEntries(directory: string): Promise<SandboxIndexEntry[]> {
  const names = await entryNames(directory, entryName);
  const entries = await Promise.all(names.map((name) => readEntry(directory, name)));
  return entries.filter((entry) => entry !== undefined);
}

/** Whether the supervisor of an entry runs on this host now; one that is stopped does, too. */
export async function isAlive(entry: SandboxIndexEntry): Promise<boolean> {
  return (await isOfThisBoot(entry)) && isRunning(entry.supervisorPid, entry.supervisorStartTime);
}

/** Whether a window can connect to the sandbox of an entry: its supervisor lives and listens, and it is not over. */
export async function isConnectable(entry: SandboxIndexEntry): Promise<boolean> {
  return entry.isStarting !== true && entry.isOver !== true && (await isAlive(entry));
}

/** Whether an entry was written on this machine, now or before it was started again. */
export async function isOfThisMachine({ hostName, machineId }: SandboxIndexEntry): Promise<boolean> {
  return hostName === hostname() && (machineId === undefined || machineId === (await readMachineId()));
}

/** Whether the pids of an entry mean anything here and now. */
export async function isOfThisBoot({ hostName, bootId }: SandboxIndexEntry): Promise<boolean> {
  return hostName === hostname() && bootId === (await readBootId());
}

/**
 * Whether the sandbox of an entry may live on another machine of our name: machines that share a home can share a
 * name, too (containers, above all). An entry of our name from another boot is an old one of ours when it names this
 * machine, or when its run directory is here; else it stays for as long as a sandbox may live.
 * @param directory where the entry is
 */
export async function mayBeElsewhere(directory: string, entry: SandboxIndexEntry): Promise<boolean> {
  // containers of one image can have an empty machine-id
  if (entry.machineId !== undefined && entry.machineId !== '') return false;
  if ((await isOfThisBoot(entry)) || (await ageOf(entry.runDirectory)) !== undefined) return false;
  const age = await ageOf(join(directory, `${entry.id}.json`));
  return age !== undefined && age < longestLifeMilliseconds;
}

async function entryNames(directory: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => pattern.test(name));
}

async function readEntry(directory: string, name: string): Promise<SandboxIndexEntry | undefined> {
  try {
    const content = await readSmallFile(join(directory, name), maximumEntryBytes, { ours: true });
    const entry = tryParse(sandboxIndexEntry, JSON.parse(content.toString('utf8')));
    return entry !== undefined && name === `${entry.id}.json` ? entry : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnsafeFileError) return undefined;
    throw error;
  }
}
