import { createHash } from 'node:crypto';
import { lstat, mkdtemp, opendir, rm } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { machineIdentity } from './machineIdentity';
import { identifyProcess, readBootId } from './processIdentity';
import { isRunning, readProcLink } from './procfs';
import { removeTree } from './removeTree';

/** A sweep looks at no more entries of a folder, and removes no more: /tmp is everybody's. */
const mostEntries = 20_000;
const mostRemovals = 50;

const markPattern = '([0-9a-f]{8})-([0-9a-f]{8})-([1-9][0-9]{0,9})-([0-9]{1,20})';
const folderName = new RegExp(`^sandboxed-agent-[a-z]+-${markPattern}-[A-Za-z0-9]{6}$`);
const partialName = new RegExp(`\\.${markPattern}\\.[0-9a-f]{16}\\.partial$`);

/**
 * What tells the names of this process' temporary files from those of all others, so that what a dead one left is known:
 * the machine, its boot, the pid and its start time.
 */
export async function ownerMark(): Promise<string> {
  const { machine, boot } = await here();
  return `${machine}-${boot}-${process.pid}-${identifyProcess(process.pid)?.startTime ?? '0'}`;
}

/** Where pids mean what they mean here: temporary folders can be shared by machines and by containers. */
async function here(): Promise<{ readonly machine: string; readonly boot: string }> {
  // machines that start from one disk have one machine-id
  const machine = [machineIdentity(), hostname(), readProcLink('self/ns/pid')].join(' ');
  return {
    machine: createHash('sha256').update(machine).digest('hex').slice(0, 8),
    boot: (await readBootId()).slice(0, 8),
  };
}

/** Makes a temporary folder (0700) that {@link sweepLeft} removes should this process die. @param kind letters alone */
export async function makeOwnedFolder(parent: string, kind: string): Promise<string> {
  return mkdtemp(join(parent, `sandboxed-agent-${kind}-${await ownerMark()}-`));
}

/**
 * Removes the temporary folders of {@link makeOwnedFolder}, and the parts of files named `….MARK.RANDOM.partial`, whose
 * owner on this machine is dead. Only this user's, and no link is followed; what can't be removed stays.
 */
export async function sweepLeft(folder: string): Promise<void> {
  const place = await here();
  let removals = 0;
  let entries = 0;
  const listing = await opendir(folder).catch(() => undefined);
  if (listing === undefined) return;
  // closes it, too
  for await (const { name } of listing) {
    entries += 1;
    if (entries > mostEntries || removals >= mostRemovals) break;
    const isFolder = folderName.test(name);
    const [, machine, boot, pid, startTime = ''] = (isFolder ? folderName : partialName).exec(name) ?? [];
    if (machine !== place.machine) continue;
    const isOfThisBoot = boot === place.boot;
    if (isOfThisBoot && isRunning(Number(pid), startTime)) continue;
    removals += 1;
    const before = isOfThisBoot ? Infinity : Date.now() - uptime() * 1000;
    await removeOurs(join(folder, name), isFolder, before).catch(() => undefined);
  }
}

/** @param before what was changed later is not ours: of a machine of our name that has booted at another time */
async function removeOurs(path: string, isFolder: boolean, before: number): Promise<void> {
  const stats = await lstat(path);
  if (stats.uid !== process.getuid?.() || stats.mtimeMs >= before) return;
  if (isFolder && stats.isDirectory()) await removeTree(path);
  if (!isFolder && stats.isFile()) await rm(path, { force: true });
}
