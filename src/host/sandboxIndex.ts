import { randomBytes } from 'node:crypto';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { runDirectoryPrefix } from '../sandbox/runDirectory';
import { sandboxId, sandboxKind } from '../sandbox/specification';
import { readBootId } from './processIdentity';
import { isRunning } from './procfs';
import { removeTree } from './removeTree';
import { codeOf, createFile, readSmallFile, UnsafeFileError } from './safeFiles';

/** What a live sandbox leaves in extension storage, so that a new window finds it: `<indexDirectory>/<id>.json`. */
export const sandboxIndexEntry = z.object({
  id: sandboxId,
  /** a home can be shared between hosts: an entry of another host or boot is not ours to touch */
  hostName: z.string(),
  bootId: z.string(),
  runDirectory: z.string(),
  socket: z.string(),
  workspace: z.string(),
  kind: sandboxKind,
  supervisorPid: z.number().int(),
  /** field 22 of /proc/PID/stat, clock ticks since boot (proc(5)): tells a reused pid */
  supervisorStartTime: z.string(),
});
export type SandboxIndexEntry = z.infer<typeof sandboxIndexEntry>;

const entryName = /^[0-9a-f]{16}\.json$/;
/** an entry that is being written */
const partName = /^[0-9a-f]{16}\.json\.[0-9a-f]{16}$/;
/** An entry is written in milliseconds. */
const partMilliseconds = 60 * 60 * 1000;
/** Somebody who keeps a window open longer on another machine of the same name finds the sandbox no more. */
const longestLifeMilliseconds = 30 * 24 * 60 * 60 * 1000;
/** three paths of at most 4096 bytes, escaped, and some more */
const maximumEntryBytes = 65536;

/** Enters a sandbox into the index: at once and whole, mode 0600. */
export async function writeIndexEntry(directory: string, entry: SandboxIndexEntry): Promise<void> {
  const target = join(directory, `${entry.id}.json`);
  const temporary = `${target}.${randomBytes(8).toString('hex')}`;
  if (!(await createFile(temporary, JSON.stringify(sandboxIndexEntry.parse(entry))))) {
    throw new Error(`${temporary} exists already`);
  }
  await rename(temporary, target);
}

/** Takes a sandbox out of the index; it need not be there. */
export async function removeIndexEntry(directory: string, id: string): Promise<void> {
  await rm(join(directory, `${sandboxIndexEntry.shape.id.parse(id)}.json`), { force: true });
}

/** All entries of all hosts. What is no entry, or not ours, or too large, is left out; a missing index is empty. */
export async function readIndexEntries(directory: string): Promise<SandboxIndexEntry[]> {
  const names = await namesIn(directory);
  const entries = await Promise.all(
    names.filter((name) => entryName.test(name)).map((name) => readEntry(directory, name)),
  );
  return entries.filter((entry) => entry !== undefined);
}

/** Whether the supervisor of an entry runs on this host now. */
export async function isAlive(entry: SandboxIndexEntry): Promise<boolean> {
  if (entry.hostName !== hostname() || entry.bootId !== (await readBootId())) return false;
  return isRunning(entry.supervisorPid, entry.supervisorStartTime);
}

/**
 * Clears away what supervisors of this host left that are no more (killed, or the machine was restarted): their
 * entries and run directories, and parts of entries. Entries of other hosts stay, and one whose run directory could
 * not be removed stays for the next time.
 *
 * Machines that share a home can share a name, too (containers, above all). An entry of our name from another boot is
 * an old one of ours when its run directory is on this machine; else it may stand for a sandbox that lives elsewhere,
 * and stays for as long as one may.
 * @returns the entries that were removed
 */
export async function sweepDeadEntries(directory: string): Promise<SandboxIndexEntry[]> {
  const swept: SandboxIndexEntry[] = [];
  for (const entry of await readIndexEntries(directory)) {
    if (entry.hostName !== hostname() || (await isAlive(entry))) continue;
    if (await mayBeElsewhere(directory, entry)) continue;
    if (!(await sweepRunDirectory(entry.runDirectory))) continue;
    await removeIndexEntry(directory, entry.id);
    swept.push(entry);
  }
  await removeAbandonedParts(directory);
  return swept;
}

async function mayBeElsewhere(directory: string, entry: SandboxIndexEntry): Promise<boolean> {
  if (entry.bootId === (await readBootId()) || (await ageOf(entry.runDirectory)) !== undefined) return false;
  const age = await ageOf(join(directory, `${entry.id}.json`));
  return age !== undefined && age < longestLifeMilliseconds;
}

async function removeAbandonedParts(directory: string): Promise<void> {
  const parts = (await namesIn(directory)).filter((name) => partName.test(name));
  for (const path of parts.map((name) => join(directory, name))) {
    const age = await ageOf(path);
    if (age !== undefined && age > partMilliseconds) await rm(path, { force: true });
  }
}

/** Milliseconds since the last change; undefined when nothing is there. A link is not followed. */
async function ageOf(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats && Date.now() - stats.mtimeMs;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
}

async function readEntry(directory: string, name: string): Promise<SandboxIndexEntry | undefined> {
  try {
    const content = await readSmallFile(join(directory, name), maximumEntryBytes, { ours: true });
    const { data } = sandboxIndexEntry.safeParse(JSON.parse(content.toString('utf8')));
    return data !== undefined && name === `${data.id}.json` ? data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnsafeFileError) return undefined;
    throw error;
  }
}

/**
 * Removes a run directory, if that is what it is: by its name, a real folder, and ours.
 * @returns false when it is one, but could not be removed
 */
async function sweepRunDirectory(path: string): Promise<boolean> {
  // a path that is not in its plain form (a slash at its end, above all) could lead through a link
  if (resolve(path) !== path || !basename(path).startsWith(runDirectoryPrefix)) return true;
  try {
    await removeTree(path);
    return true;
  } catch (error) {
    return error instanceof UnsafeFileError;
  }
}
