import { randomBytes } from 'node:crypto';
import { link, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { tryParse } from '../sandbox/parseAs';
import { finite } from '../sandbox/schemas';
import { removeTree } from '../host/removeTree';
import { codeOf, createFile, entryPath, openPrivateFolder, readSmallFile } from '../host/safeFiles';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import {
  changedMeanwhile,
  copyEntry,
  type Kind,
  maximumBytes,
  requireUnchanged,
  tooLarge,
} from './copyEntry';
import { statsAt, withEntry } from './lookAtOne';
import type { OpenFolder } from './openBelow';

/** What was taken away from a workspace. It is kept beside its record, under the name `content`. */
export const quarantined = v.object({
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
  workspace: v.string(),
  /** below the workspace; hostile */
  path: v.string(),
  /** milliseconds since the epoch */
  takenAt: finite,
  /** a FIFO or socket holds nothing that could be kept */
  kind: v.picklist(['file', 'folder', 'link', 'special']),
});
export type Quarantined = v.InferOutput<typeof quarantined>;

const maximumRecordBytes = 64 * 1024;

/**
 * Takes something out of a workspace into `directory`. It is copied and then removed, never moved there: a process in
 * the sandbox that has it open keeps what it has, and gets no hold of what we keep. No link is followed. There is never
 * only a part of it: what was moved aside is removed when the copy and its record are whole, and not before.
 * @throws UserError `quarantine.…` when it is too large, can't be read or was changed meanwhile: it is left where it is
 * then; `quarantine.aside` and `quarantine.remains` when it is not, with where it is
 */
export async function takeAway(directory: string, workspace: string, path: string): Promise<Quarantined> {
  const id = randomBytes(8).toString('hex');
  const own = join(directory, id);
  await (await openPrivateFolder(own)).close();
  const record = await withEntry(workspace, path, async (folder, name) => {
    const taking = { folder, name, aside: asideName() };
    if (!(await moveAside(taking, own))) return undefined;
    return takeEntry(taking, own, { id, workspace, path, takenAt: Date.now() });
  });
  if (record) return record;
  await removeTree(own);
  throw changedMeanwhile();
}

/** Everything that was taken away and not put back, the latest first. */
export async function listQuarantined(directory: string): Promise<Quarantined[]> {
  const found = await Promise.all((await readdir(directory)).map((id) => readRecord(join(directory, id))));
  return found.filter((record) => record !== undefined).sort((one, other) => other.takenAt - one.takenAt);
}

/**
 * Puts something back where it was: made beside it, then given its name, which takes nobody else's place and follows
 * nothing.
 * @param placed is told where it is kept, before that is removed: what is in its place may be something else by then
 * @throws UserError `quarantine.occupied` when something is there, or the folder is not
 */
export async function putBack(
  directory: string,
  { id, workspace, path, kind }: Quarantined,
  placed: (kept: string) => Promise<void>,
): Promise<void> {
  const own = join(directory, id);
  const kept = join(own, 'content');
  const isBack = await withEntry(workspace, path, async (folder, name) => {
    if (kind === 'special') return true;
    if (await statsAt(entryPath(folder, name))) return false;
    return place(kept, { folder, name, aside: asideName() }, kind);
  });
  if (isBack !== true) {
    throw new UserError(
      'quarantine.occupied',
      message('It can’t be put back: something else is in its place now, or its folder is gone.'),
    );
  }
  await placed(kept);
  await removeTree(own);
}

/** @returns false when something else is there */
async function place(kept: string, { folder, name, aside }: Taking, kind: Kind): Promise<boolean> {
  const made = entryPath(folder, aside);
  const target = entryPath(folder, name);
  try {
    await copyEntry(kept, made);
    // neither takes the place of what holds something, nor goes through a link
    await (kind === 'folder' ? rename(made, target) : link(made, target));
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EISDIR', 'ENOENT'].includes(codeOf(error) ?? '')) return false;
    if (kind === 'folder' || !['EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes(codeOf(error) ?? '')) throw error;
    // a file system without second names; a file is made only where none is, either
    await copyEntry(kept, target);
    return true;
  } finally {
    // what an agent has made of it meanwhile is its own
    await (kind === 'folder' ? removeTree(made) : unlink(made)).catch(() => undefined);
  }
}

function asideName(): string {
  return `.quarantine-${randomBytes(8).toString('hex')}`;
}

/** Something that is taken away or put back. */
interface Taking {
  readonly folder: OpenFolder;
  readonly name: string;
  /** the name that it has meanwhile; nobody knows it before */
  readonly aside: string;
}

/** Only what stays where it can be found is copied. @returns false when it was not there */
async function moveAside({ folder, name, aside }: Taking, own: string): Promise<boolean> {
  try {
    const stats = await statsAt(entryPath(folder, name));
    // it would only be moved to and fro
    if (stats?.isFile() === true && stats.size > maximumBytes) throw tooLarge();
    await rename(entryPath(folder, name), entryPath(folder, aside));
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    await removeTree(own);
    throw error;
  }
}

async function takeEntry(
  taking: Taking,
  own: string,
  known: Omit<Quarantined, 'kind'>,
): Promise<Quarantined> {
  const place = entryPath(taking.folder, taking.aside);
  let record: Quarantined;
  try {
    const copied = await copyEntry(place, join(own, 'content'));
    record = { ...known, kind: copied.kind };
    if (!(await createFile(join(own, 'record.json'), JSON.stringify(record)))) throw changedMeanwhile();
    await requireUnchanged(place, copied);
  } catch (error) {
    await moveBack(taking, own, error);
    throw error;
  }
  try {
    if (record.kind === 'folder') await removeTree(place);
    else await unlink(place);
  } catch (error) {
    throw remains(taking.aside, error);
  }
  return record;
}

/** What was copied goes only when the thing itself is where it was. */
async function moveBack(taking: Taking, own: string, cause: unknown): Promise<void> {
  const { folder, name, aside } = taking;
  try {
    const target = entryPath(folder, name);
    if (await statsAt(target)) throw new Error(`something else is there: ${name}`);
    await rename(entryPath(folder, aside), target);
  } catch (error) {
    throw leftAside(taking.aside, new AggregateError([cause, error]));
  }
  await removeTree(own);
}

async function readRecord(own: string): Promise<Quarantined | undefined> {
  try {
    const content = await readSmallFile(join(own, 'record.json'), maximumRecordBytes, { ours: true });
    return tryParse(quarantined, JSON.parse(content.toString()));
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === undefined) return undefined;
    throw error;
  }
}

function leftAside(name: string, cause: unknown): UserError {
  return new UserError(
    'quarantine.aside',
    message(
      'It can’t be taken away, and something else is in its place now. Beside that it is kept as {0}.',
      name,
    ),
    undefined,
    { cause },
  );
}

function remains(name: string, cause: unknown): UserError {
  return new UserError(
    'quarantine.remains',
    message(
      'It was taken away and can be put back, but not all of it could be removed. The rest is where it was, as {0}.',
      name,
    ),
    undefined,
    { cause },
  );
}
