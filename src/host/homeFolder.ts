import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { parseAs } from '../sandbox/parseAs';
import { finite } from '../sandbox/schemas';
import { fileIdentity, sandboxId } from '../sandbox/specification';
import { readJson, writeWhole } from './ownFiles';
import { identifyProcess, processIdentity, readBootId, readMachineId } from './processIdentity';
import { isRunning } from './procfs';

/**
 * What is kept of each agent's home in extension storage: a folder for each, in which no agent can write. The user's
 * other computers see it, too, where they share the user's own home, as the nodes of a cluster do.
 *
 *     homes/<key>/home.json      what used the home last
 *     homes/<key>/<id>.use       a sandbox that uses it, or did and has not ended well
 *     homes/<key>/lock.json      who alone may use it now (homeLock.ts)
 *     homes/<key>/backups/       of opencode's database
 */

export const backupsName = 'backups';
/** of the files in such a folder */
export const maximumHomeFileBytes = 65_536;

/** A process on one of the user's computers. */
export const homeUser = v.object({
  ...processIdentity.entries,
  hostName: v.string(),
  bootId: v.string(),
  machineId: v.optional(v.string()),
  sandboxId: v.string(),
  /** milliseconds since the epoch */
  since: finite,
});
export type HomeUser = v.InferOutput<typeof homeUser>;

const homeRecord = v.object({
  /** of the home */
  path: v.string(),
  /** the image that was used last */
  image: fileIdentity,
  /** of opencode in that image */
  version: v.pipe(v.string(), v.maxLength(40)),
});
export type HomeRecord = v.InferOutput<typeof homeRecord>;

/** The folder for the backups of a home. @param folder as `makeHomeFolder` returns it */
export function backupsOf(folder: string): string {
  return join(folder, backupsName);
}

/** This process, as the user of a home. */
export async function ownHomeUse(id: string): Promise<HomeUser> {
  const machineId = await readMachineId();
  return {
    ...(identifyProcess(process.pid) ?? { pid: process.pid, startTime: '0' }),
    hostName: hostname(),
    bootId: await readBootId(),
    ...(machineId ? { machineId } : {}),
    sandboxId: id,
    since: Date.now(),
  };
}

/**
 * Whether a user of a home is gone for certain: it ran on this very computer, and either its process has ended or the
 * computer was started again since. Of another computer nothing is certain, and of one that has our name but nothing
 * else to tell it by neither.
 */
export async function isGone({ hostName, bootId, machineId, pid, startTime }: HomeUser): Promise<boolean> {
  if (hostName !== hostname()) return false;
  if (bootId === (await readBootId())) return !isRunning(pid, startTime);
  return machineId !== undefined && machineId === (await readMachineId());
}

/** The file of a use, for people who have to remove it by hand. */
export function homeUsePath(folder: string, id: string): string {
  return join(folder, `${parseAs(sandboxId, id)}.use`);
}

/** Notes that a sandbox uses a home, before it does: at once and whole, as half a note is one of a bad end. */
export async function noteHomeUse(folder: string, user: HomeUser): Promise<void> {
  await writeWhole(homeUsePath(folder, user.sandboxId), JSON.stringify(user));
}

/** Notes that a sandbox uses a home no more, and left it in order. */
export async function noteGoodEnd(folder: string, id: string): Promise<void> {
  await rm(homeUsePath(folder, id), { force: true });
}

/** The same for several. */
export async function noteGoodEnds(folder: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await noteGoodEnd(folder, id);
}

/** Those that use a home, and those that did and have not ended well; one that can't be read did not. */
export async function readHomeUses(
  folder: string,
): Promise<{ readonly live: readonly HomeUser[]; readonly badEnds: readonly string[] }> {
  const live: HomeUser[] = [];
  const badEnds: string[] = [];
  for (const name of (await readdir(folder)).filter((entry) => /^[0-9a-f]{16}\.use$/.test(entry))) {
    const user = await readJson(join(folder, name), homeUser, maximumHomeFileBytes);
    if (user && !(await isGone(user))) live.push(user);
    // one that ends well just now is none
    else if (await isThere(join(folder, name))) badEnds.push(name.slice(0, 16));
  }
  return { live, badEnds };
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** What used a home last; undefined when nothing of ours has. */
export function readHomeRecord(folder: string): Promise<HomeRecord | undefined> {
  return readJson(join(folder, 'home.json'), homeRecord, maximumHomeFileBytes);
}

/** Notes what uses a home now. */
export async function writeHomeRecord(folder: string, record: HomeRecord): Promise<void> {
  await writeWhole(join(folder, 'home.json'), JSON.stringify(parseAs(homeRecord, record)));
}
