import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readlink, rename, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { removeTree } from '../host/removeTree';
import {
  codeOf,
  createFile,
  entryPath,
  openFolder,
  openPrivateFolder,
  readSmallFile,
} from '../host/safeFiles';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { listOpenFolder } from './listFolder';
import { statsAt, withEntry } from './lookAtOne';

/** What was taken away from a workspace. It is kept beside its record, under the name `content`. */
export const quarantined = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  workspace: z.string(),
  /** below the workspace; hostile */
  path: z.string(),
  /** milliseconds since the epoch */
  takenAt: z.number(),
  /** a FIFO or socket holds nothing that could be kept */
  kind: z.enum(['file', 'folder', 'link', 'special']),
});
export type Quarantined = z.infer<typeof quarantined>;

/** What a repository or a program weighs; larger things are not moved about in a home with a quota. */
const maximumBytes = 64 * 1024 * 1024;
const maximumEntries = 20_000;
const maximumRecordBytes = 64 * 1024;

interface Copying {
  bytes: number;
  entries: number;
}

/**
 * Takes something out of a workspace into `directory`. It is copied and then removed, never moved: a process in the
 * sandbox that has it open keeps what it has, and gets no hold of what we keep. No link is followed.
 * @throws UserError `quarantine.…` when it is too large, or was changed meanwhile; it is left where it is then
 */
export async function takeAway(directory: string, workspace: string, path: string): Promise<Quarantined> {
  const id = randomBytes(8).toString('hex');
  const own = join(directory, id);
  await (await openPrivateFolder(own)).close();
  try {
    const kind = await withEntry(workspace, path, (folder, name) =>
      takeEntry(folder, name, join(own, 'content')),
    );
    if (kind === undefined) throw changedMeanwhile();
    const record: Quarantined = { id, workspace, path, takenAt: Date.now(), kind };
    await createFile(join(own, 'record.json'), JSON.stringify(record));
    return record;
  } catch (error) {
    await removeTree(own);
    throw error;
  }
}

/** Everything that was taken away and not put back, the latest first. */
export async function listQuarantined(directory: string): Promise<Quarantined[]> {
  const found = await Promise.all((await readdir(directory)).map((id) => readRecord(join(directory, id))));
  return found.filter((record) => record !== undefined).sort((one, other) => other.takenAt - one.takenAt);
}

/**
 * Puts something back where it was.
 * @throws UserError `quarantine.occupied` when something is there, or the folder is not
 */
export async function putBack(directory: string, { id, workspace, path, kind }: Quarantined): Promise<void> {
  const own = join(directory, id);
  const copying = { bytes: 0, entries: 0 };
  const isBack = await withEntry(workspace, path, async (folder, name) => {
    if (kind === 'special') return true;
    const target = entryPath(folder, name);
    if (await statsAt(target)) return false;
    await copyEntry(join(own, 'content'), target, copying);
    return true;
  });
  if (isBack !== true) {
    throw new UserError(
      'quarantine.occupied',
      message('It can’t be put back: something else is in its place now, or its folder is gone.'),
    );
  }
  await removeTree(own);
}

async function takeEntry(
  folder: FileHandle,
  name: string,
  target: string,
): Promise<Quarantined['kind'] | undefined> {
  const place = entryPath(folder, name);
  const before = await statsAt(place);
  if (!before) return undefined;
  const kind = await copyEntry(place, target, { bytes: 0, entries: 0 });
  // what is removed is moved aside first, under a name that nobody knows: it is what was copied, or it is put back
  const aside = entryPath(folder, `.${randomBytes(8).toString('hex')}`);
  await rename(place, aside);
  const after = await statsAt(aside);
  const isSame = after?.ino === before.ino && (kind !== 'file' || after.mtimeNs === before.mtimeNs);
  if (!isSame) {
    await rename(aside, place);
    throw changedMeanwhile();
  }
  if (kind === 'folder') await removeTree(aside);
  else await unlink(aside);
  return kind;
}

/** Copies something, itself and not what it leads to. @returns what it was */
async function copyEntry(place: string, target: string, copying: Copying): Promise<Quarantined['kind']> {
  const stats = await statsAt(place);
  copying.entries += 1;
  if (copying.entries > maximumEntries) throw tooLarge();
  if (!stats) throw changedMeanwhile();
  if (stats.isSymbolicLink()) {
    await symlink(await readlink(place), target);
    return 'link';
  }
  if (stats.isDirectory()) {
    await copyFolder(place, target, copying);
    return 'folder';
  }
  if (!stats.isFile()) return 'special';
  copying.bytes += Number(stats.size);
  if (copying.bytes > maximumBytes) throw tooLarge();
  await writeCopy(target, await readSmallFile(place, maximumBytes), Number(stats.mode) & 0o777);
  return 'file';
}

async function copyFolder(place: string, target: string, copying: Copying): Promise<void> {
  const folder = await openFolder(place);
  try {
    await mkdir(target, 0o700);
    const own = await openFolder(target);
    try {
      for (const { name } of (await listOpenFolder(folder, maximumEntries)).entries) {
        await copyEntry(entryPath(folder, name), entryPath(own, name), copying);
      }
    } finally {
      await own.close();
    }
  } finally {
    await folder.close();
  }
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

async function readRecord(own: string): Promise<Quarantined | undefined> {
  try {
    const content = await readSmallFile(join(own, 'record.json'), maximumRecordBytes, { ours: true });
    return quarantined.safeParse(JSON.parse(content.toString())).data;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === undefined) return undefined;
    throw error;
  }
}

function tooLarge(): UserError {
  return new UserError(
    'quarantine.tooLarge',
    message('It is too large to be kept (more than 64 MB). Look at it in the folder, and remove it there.'),
  );
}

function changedMeanwhile(): UserError {
  return new UserError(
    'quarantine.changed',
    message('It was changed or removed meanwhile, so nothing was taken away. Look at it again.'),
  );
}
