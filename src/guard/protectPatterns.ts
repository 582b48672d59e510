import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProtectedPattern, protectionRefusal } from '../sandbox/protectedPaths';
import { type FolderEntry, type ListedFolder, listFolder } from './listFolder';
import { protect, type Search } from './protectedSearch';

/**
 * Protects what patterns match of an entry of a folder. A path of several names counts from the top of the folder only.
 * @throws UserError when it can't be
 */
export async function matchPatterns(
  folder: string,
  { name }: FolderEntry,
  isTop: boolean,
  search: Search,
): Promise<void> {
  for (const pattern of search.patterns) {
    const [first, ...rest] = pattern.names;
    if (first?.test(name) === true && (isTop || rest.length === 0)) {
      await followPattern(join(folder, name), pattern, 1, search);
    }
  }
}

/** @param depth of the pattern's names, how many have led to `path` */
async function followPattern(
  path: string,
  pattern: ProtectedPattern,
  depth: number,
  search: Search,
): Promise<void> {
  const { names, literals, rule } = pattern;
  const next = names[depth];
  if (next === undefined) {
    await protect(path, rule, search);
    return;
  }
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink() === true) {
    throw protectionRefusal('symbolicLink', rule, search.workspace, path);
  }
  const listed = await listFolder(path, search.maximumEntries);
  search.isSettled &&= listed.isSettled || stats?.isDirectory() === false;
  for (const { name } of await withNamed(path, listed, [literals[depth]])) {
    if (next.test(name)) await followPattern(join(path, name), pattern, depth + 1, search);
  }
}

/**
 * What is protected must not be hidden behind so many other names that they are not all listed: then it is looked up by
 * its name. What matches a name with a `*`, or in another case, is not found there.
 */
export async function withNamed(
  folder: string,
  { entries, hasMore }: ListedFolder,
  wanted: readonly (string | undefined)[],
): Promise<readonly FolderEntry[]> {
  if (!hasMore) return entries;
  const names = new Set(wanted.flatMap((name) => name ?? []));
  for (const { name } of entries) names.delete(name);
  const found = [...entries];
  for (const name of names) {
    const stats = await lstat(join(folder, name)).catch(() => undefined);
    if (stats) found.push({ name, isFolder: stats.isDirectory(), isLink: stats.isSymbolicLink() });
  }
  return found;
}
