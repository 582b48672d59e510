import { type BigIntStats, closeSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { entryPath, readSmallFile } from '../host/safeFiles';
import { examine, type Examined, type GuardedFolder } from './examine';
import { openBelow, type OpenFolder } from './openBelow';

/** More than a person compares. */
const maximumShownBytes = 1_000_000;

/**
 * Does something with one entry of a workspace, reached without following a link.
 * @param path below the workspace
 * @param work gets the open folder that the entry is in, and its name
 * @returns undefined when that folder is not there
 */
export async function withEntry<Result>(
  workspace: string,
  path: string,
  work: (folder: OpenFolder, name: string) => Promise<Result>,
): Promise<Result | undefined> {
  const cut = path.lastIndexOf('/');
  let folder: OpenFolder;
  try {
    folder = openBelow(workspace, folderOf(path));
  } catch {
    return undefined;
  }
  try {
    return await work(folder, path.slice(cut + 1));
  } finally {
    closeSync(folder.fd);
  }
}

/** The path of the folder that something is in, below the workspace; empty for its top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** What is at a place, itself and not what it leads to; undefined when nothing is. */
export function statsAt(place: string): Promise<BigIntStats | undefined> {
  return lstat(place, { bigint: true }).catch(() => undefined);
}

/** What is at a path now, its mark and its content of one moment; undefined when it is not there, or not notable. */
export function examineAt(folder: GuardedFolder, path: string): Promise<Examined | undefined> {
  return withEntry(folder.workspace, path, async (above, name) => {
    const place = entryPath(above, name);
    const stats = await statsAt(place);
    return stats && examine(path, place, stats, folder);
  });
}

/** The content of a small file; undefined when it is none. */
export function contentAt(workspace: string, path: string): Promise<Buffer | undefined> {
  return withEntry(workspace, path, (folder, name) =>
    readSmallFile(entryPath(folder, name), maximumShownBytes).catch(() => undefined),
  );
}
