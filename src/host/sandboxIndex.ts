import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { runDirectoryPrefix } from '../sandbox/runDirectory';
import { readBootId } from './processIdentity';
import { isRunning } from './procfs';
import { removeTree } from './removeTree';
import { codeOf, createFile, readSmallFile, UnsafeFileError } from './safeFiles';

/** What a live sandbox leaves in extension storage, so that a new window finds it: `<indexDirectory>/<id>.json`. */
export const sandboxIndexEntry = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  /** a home can be shared between hosts: an entry of another host or boot is not ours to touch */
  hostName: z.string(),
  bootId: z.string(),
  runDirectory: z.string(),
  socket: z.string(),
  workspace: z.string(),
  kind: z.enum(['agent', 'shell', 'task']),
  supervisorPid: z.number().int(),
  /** field 22 of /proc/PID/stat, clock ticks since boot (proc(5)): tells a reused pid */
  supervisorStartTime: z.string(),
});
export type SandboxIndexEntry = z.infer<typeof sandboxIndexEntry>;

const entryName = /^[0-9a-f]{16}\.json$/;
/** three paths of at most 4096 bytes, escaped, and some more */
const maximumEntryBytes = 65536;

/** Enters a sandbox into the index: at once and whole, mode 0600. */
export async function writeIndexEntry(directory: string, entry: SandboxIndexEntry): Promise<void> {
  const target = join(directory, `${entry.id}.json`);
  const temporary = `${target}.${randomBytes(8).toString('hex')}`;
  await createFile(temporary, JSON.stringify(sandboxIndexEntry.parse(entry)));
  await rename(temporary, target);
}

/** Takes a sandbox out of the index; it need not be there. */
export async function removeIndexEntry(directory: string, id: string): Promise<void> {
  await rm(join(directory, `${sandboxIndexEntry.shape.id.parse(id)}.json`), { force: true });
}

/** All entries of all hosts. What is no entry, or not ours, or too large, is left out; a missing index is empty. */
export async function readIndexEntries(directory: string): Promise<SandboxIndexEntry[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
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
 * entries and run directories. Entries of other hosts stay, and one whose run directory could not be removed stays
 * for the next time.
 * @returns the entries that were removed
 */
export async function sweepDeadEntries(directory: string): Promise<SandboxIndexEntry[]> {
  const swept: SandboxIndexEntry[] = [];
  for (const entry of await readIndexEntries(directory)) {
    if (entry.hostName !== hostname() || (await isAlive(entry))) continue;
    if (!(await removeRunDirectory(entry.runDirectory))) continue;
    await removeIndexEntry(directory, entry.id);
    swept.push(entry);
  }
  return swept;
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
async function removeRunDirectory(path: string): Promise<boolean> {
  // a path that is not in its plain form (a slash at its end, above all) could lead through a link
  if (resolve(path) !== path || !basename(path).startsWith(runDirectoryPrefix)) return true;
  try {
    await removeTree(path);
    return true;
  } catch (error) {
    return error instanceof UnsafeFileError;
  }
}
