import { lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isSameOrInside } from '../sandbox/paths';
import { configuredPaths, namedFolder } from './gitFiles';
import type { GitReading } from './gitReading';
import { listFolder } from './listFolder';

const maximumNameBytes = 8192;
const maximumEntries = 1000;
/** MAX_INCLUDE_DEPTH of git's config.c */
const maximumIncludeDepth = 10;

/** Something that a repository makes git read or run. */
export interface GitName {
  /** `folder`: of the repository itself. `hooks`: a folder of programs. `program`: or an argument of one */
  readonly kind: 'folder' | 'link' | 'hooks' | 'configuration' | 'program';
  /** absolute, as it is named; it need not exist */
  readonly path: string;
}

/** What is to be read-only besides the repository. */
export interface FurtherGitPaths {
  /** what git acts on: a start is refused when it can't be read-only */
  readonly paths: readonly string[];
  /** files that a configuration names: what of it is a program can only be guessed */
  readonly programs: readonly string[];
}

/**
 * What else in the workspace a repository makes git read or run: the folder that a `.git` file names and what is common
 * to it, folders that links in it lead to, hooks, programs and included configuration in the work tree. All in the
 * workspace, and none of it a link on the way.
 * @param path of the `.git`, which exists
 * @param workTree the folder that it is in
 * @param reading limits, and is told when there is more
 */
export async function furtherGitPaths(
  path: string,
  workTree: string,
  workspace: string,
  reading: GitReading,
): Promise<FurtherGitPaths> {
  const names = await namedByGit(path, workTree, reading);
  const isProgram = ({ kind }: GitName): boolean => kind === 'program';
  const resolved = async (some: readonly GitName[]): Promise<string[]> => {
    const all = await Promise.all(some.map((each) => realpath(each.path).catch(() => undefined)));
    const found = new Set(all.filter((name) => name !== undefined));
    return [...found].filter((name) => name !== path && isSameOrInside(workspace, name));
  };
  return {
    paths: await resolved(names.filter((name) => !isProgram(name))),
    programs: await resolved(names.filter(isProgram)),
  };
}

/** Everything that a repository makes git read or run, wherever it is. @param path as {@link furtherGitPaths} has it */
export async function namedByGit(path: string, workTree: string, reading: GitReading): Promise<GitName[]> {
  const folders = await gitFolders(path, workTree, reading);
  const named: GitName[][] = [folders.map((folder) => ({ kind: 'folder', path: folder }))];
  for (const folder of folders) named.push(await linkedFrom(folder, reading));
  named.push(await configuredIn(folders, workTree, reading));
  return named.flat();
}

/** The folder of the repository, and the one that it has in common with other work trees. */
async function gitFolders(path: string, workTree: string, reading: GitReading): Promise<string[]> {
  const isFolder = (await lstat(path).catch(() => undefined))?.isDirectory() === true;
  const named = isFolder ? path : namedFolder(await reading.textAt(path, maximumNameBytes), 'gitdir');
  if (named === undefined) return [];
  const folder = resolve(workTree, named);
  const common = namedFolder(await reading.textAt(join(folder, 'commondir'), maximumNameBytes), 'commondir');
  return common === undefined ? [folder] : [folder, resolve(folder, common)];
}

/** Links at the top of a repository's folder, such as `hooks`. */
async function linkedFrom(folder: string, reading: GitReading): Promise<GitName[]> {
  const { entries, hasMore } = await listFolder(folder, maximumEntries);
  reading.note(!hasMore);
  const links = reading.take(entries.filter(({ isLink }) => isLink));
  return links.map(({ name }) => ({ kind: 'link', path: join(folder, name) }));
}

/** What counts in all repositories (git-config(1)); a relative path in it is one of the work tree, too. */
function usersFiles(): string[] {
  const { XDG_CONFIG_HOME: chosen = '' } = process.env;
  const folder = chosen === '' ? join(homedir(), '.config') : chosen;
  return ['/etc/gitconfig', join(folder, 'git/config'), join(homedir(), '.gitconfig')];
}

/** What the configuration of a repository names, and what the configuration names that it includes, and so on. */
async function configuredIn(
  folders: readonly string[],
  workTree: string,
  reading: GitReading,
): Promise<GitName[]> {
  const found = new Map<string, GitName>();
  const read = new Set<string>();
  const add = (kind: GitName['kind'], base: string, name: string): string => {
    const path = resolve(base, name.replace(/^~(?=\/)/, homedir()));
    found.set(`${kind} ${path}`, { kind, path });
    return path;
  };
  const own = folders.flatMap((folder) => ['config', 'config.worktree'].map((name) => join(folder, name)));
  let files = [...own, ...usersFiles()];
  for (let depth = 0; depth <= maximumIncludeDepth && files.length > 0; depth += 1) {
    const included: string[] = [];
    for (const file of files) {
      if (read.has(file)) continue;
      read.add(file);
      const real = await realpath(file).catch(() => file);
      const { hooks, includes, programs } = configuredPaths(await reading.textAt(real));
      for (const name of hooks) add('hooks', workTree, name);
      for (const name of reading.take(programs)) add('program', workTree, name);
      for (const name of reading.take(includes)) included.push(add('configuration', dirname(file), name));
    }
    files = included;
  }
  return [...found.values()];
}
