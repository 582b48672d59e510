import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readSmallFile } from '../host/safeFiles';
import { isSameOrInside } from '../sandbox/paths';
import { configuredPaths, namedFolder } from './gitFiles';
import { listFolder } from './listFolder';

/** A configuration of git is a few kilobytes; one that is larger than this is not looked into. */
const maximumConfigurationBytes = 1_000_000;
const maximumNameBytes = 8192;
const maximumEntries = 1000;
/** MAX_INCLUDE_DEPTH of git's config.c */
const maximumIncludeDepth = 10;
/** beyond so many files there is more than can be made read-only */
const maximumConfigurations = 1000;

/**
 * What else in the workspace a repository makes git read or run: the folder that a `.git` file names and what is common
 * to it, folders that links in it lead to, hooks and included configuration in the work tree. All in the workspace,
 * and none of it a link on the way.
 * @param path of the `.git`, which exists
 * @param workTree the folder that it is in
 */
export async function furtherGitPaths(path: string, workTree: string, workspace: string): Promise<string[]> {
  const folders = await gitFolders(path, workTree);
  const named = [...folders];
  for (const folder of folders) {
    named.push(...(await linkedFrom(folder)), ...(await configuredIn(folder, workTree)));
  }
  const resolved = await Promise.all(named.map((name) => realpath(name).catch(() => undefined)));
  const found = new Set(resolved.filter((name) => name !== undefined));
  return [...found].filter((name) => name !== path && isSameOrInside(workspace, name));
}

/** The folder of the repository, and the one that it has in common with other work trees. */
async function gitFolders(path: string, workTree: string): Promise<string[]> {
  const isFolder = (await lstat(path).catch(() => undefined))?.isDirectory() === true;
  const named = isFolder ? path : namedFolder(await textAt(path, maximumNameBytes), 'gitdir');
  if (named === undefined) return [];
  const folder = resolve(workTree, named);
  const common = namedFolder(await textAt(join(folder, 'commondir'), maximumNameBytes), 'commondir');
  return common === undefined ? [folder] : [folder, resolve(folder, common)];
}

/** Links at the top of a repository's folder, such as `hooks`. */
async function linkedFrom(folder: string): Promise<string[]> {
  const { entries } = await listFolder(folder, maximumEntries);
  return entries.filter(({ isLink }) => isLink).map(({ name }) => join(folder, name));
}

/** What the configuration of a repository names, and what the configuration names that it includes, and so on. */
async function configuredIn(folder: string, workTree: string): Promise<string[]> {
  const found = new Set<string>();
  const read = new Set<string>();
  let files = ['config', 'config.worktree'].map((name) => join(folder, name));
  for (let depth = 0; depth <= maximumIncludeDepth && files.length > 0; depth += 1) {
    const included: string[] = [];
    for (const file of files) {
      if (read.has(file) || read.size >= maximumConfigurations) continue;
      read.add(file);
      const real = await realpath(file).catch(() => file);
      const { hooks, includes } = configuredPaths(await textAt(real, maximumConfigurationBytes));
      for (const name of hooks) found.add(resolve(workTree, name));
      included.push(...includes.map((name) => resolve(dirname(file), name)));
    }
    for (const name of included) found.add(name);
    files = included;
  }
  return [...found];
}

/** The text of a file; empty when there is none that can be read. */
async function textAt(path: string, maximumBytes: number): Promise<string> {
  return readSmallFile(path, maximumBytes).then(String, () => '');
}
