import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, symlink } from 'node:fs/promises';
import { entryPath, openFolder, readSmallFile } from '../host/safeFiles';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { identityText } from './examine';
import { type FolderEntry, listOpenFolder } from './listFolder';
import { statsAt } from './lookAtOne';

/** What a repository or a program weighs; larger things are not moved about in a home with a quota. */
export const maximumBytes = 64 * 1024 * 1024;
const maximumEntries = 20_000;
/** below what is copied; three descriptors are open for each folder on the way, and see `longestPath` of `scanTree.ts` */
const maximumDepth = 100;
const longestPath = 4096;

export type Kind = 'file' | 'folder' | 'link' | 'special';

/** What was copied, to be compared with what is there afterwards. */
export interface Copied {
  readonly kind: Kind;
  /** by the path below it, empty for itself */
  readonly identities: ReadonlyMap<string, string>;
}

interface Copying {
  bytes: number;
  readonly identities: Map<string, string>;
}

/**
 * Copies something that an agent may change meanwhile: itself, and not what it leads to.
 * @throws UserError `quarantine.…` when it is too large, can't be read or is changed
 */
export async function copyEntry(place: string, target: string): Promise<Copied> {
  const copying: Copying = { bytes: 0, identities: new Map() };
  return { kind: await copyOne(place, target, '', copying), identities: copying.identities };
}

/** Makes sure that something is, with all in it, what was copied. @throws UserError `quarantine.changed` */
export async function requireUnchanged(place: string, { identities }: Copied): Promise<void> {
  await requireSame(place, '', identities);
}

async function requireSame(
  place: string,
  path: string,
  identities: ReadonlyMap<string, string>,
): Promise<void> {
  const stats = await statsAt(place);
  if (!stats || identities.get(path) !== identityText(stats)) throw changedMeanwhile();
  // a folder that is the same has the same entries
  if (!stats.isDirectory()) return;
  await eachEntry(place, (entry, name) => requireSame(entry, `${path}/${name}`, identities));
}

async function copyOne(place: string, target: string, path: string, copying: Copying): Promise<Kind> {
  const stats = await statsAt(place);
  if (!stats) throw changedMeanwhile();
  copying.identities.set(path, identityText(stats));
  if (copying.identities.size > maximumEntries) throw tooLarge();
  if (path.length > longestPath || path.split('/').length > maximumDepth) throw unreadable();
  if (stats.isSymbolicLink()) {
    await symlink(await readlink(place), target);
    return 'link';
  }
  if (stats.isDirectory()) {
    await copyFolder(place, target, path, copying);
    return 'folder';
  }
  if (!stats.isFile()) return 'special';
  await copyFile(place, target, stats, copying);
  return 'file';
}

async function copyFolder(place: string, target: string, path: string, copying: Copying): Promise<void> {
  await mkdir(target, 0o700);
  const own = await openFolder(target);
  try {
    await eachEntry(place, async (entry, name) => {
      await copyOne(entry, entryPath(own, name), `${path}/${name}`, copying);
    });
  } finally {
    await own.close();
  }
}

/** Does something with each entry of a folder. @throws UserError `quarantine.unreadable` when not all can be seen */
async function eachEntry(place: string, work: (entry: string, name: string) => Promise<void>): Promise<void> {
  const folder = await openFolder(place);
  try {
    for (const { name } of await listAll(folder)) await work(entryPath(folder, name), name);
  } finally {
    await folder.close();
  }
}

async function listAll(folder: FileHandle): Promise<readonly FolderEntry[]> {
  // what may not be read is empty in a list
  const readable = await open(`/proc/self/fd/${folder.fd}`, constants.O_RDONLY | constants.O_DIRECTORY).catch(
    (error: unknown) => {
      throw unreadable(error);
    },
  );
  await readable.close();
  const { entries, isComplete } = await listOpenFolder(folder, maximumEntries);
  if (entries.length >= maximumEntries) throw tooLarge();
  if (!isComplete) throw unreadable();
  return entries;
}

async function copyFile(place: string, target: string, stats: BigIntStats, copying: Copying): Promise<void> {
  copying.bytes += Number(stats.size);
  if (copying.bytes > maximumBytes) throw tooLarge();
  await writeCopy(target, await readSmallFile(place, maximumBytes), Number(stats.mode) & 0o777);
}

async function writeCopy(path: string, content: Buffer, mode: number): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(content);
    await file.chmod(mode);
  } finally {
    await file.close();
  }
}

/** It is more than is kept. */
export function tooLarge(): UserError {
  return new UserError(
    'quarantine.tooLarge',
    message('It is too large to be kept (more than 64 MB). Look at it in the folder, and remove it there.'),
  );
}

function unreadable(cause?: unknown): UserError {
  return new UserError(
    'quarantine.unreadable',
    message('Not all of it can be read, so it can’t be kept. Look at it in the folder, and remove it there.'),
    undefined,
    { cause },
  );
}

/** It is not what it was. */
export function changedMeanwhile(): UserError {
  return new UserError(
    'quarantine.changed',
    message('It was changed or removed meanwhile, so nothing was taken away. Look at it again.'),
  );
}
