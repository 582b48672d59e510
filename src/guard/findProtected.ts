import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf } from '../host/fileIdentity';
import { isSameOrInside } from '../sandbox/paths';
import {
  gitName,
  maximumProtectedPaths,
  type ProtectedPattern,
  protectionRefusal,
  tooManyProtected,
} from '../sandbox/protectedPaths';
import type { ProtectedPath } from '../sandbox/specification';
import { ruleOfBound } from './boundElsewhere';
import { furtherGitPaths } from './furtherGitPaths';
import { type GitReading, readEach } from './gitReading';
import { type FolderEntry, type ListedFolder, listFolder } from './listFolder';
import { takeBreak } from './takeBreak';

export interface ProtectionRequest {
  /** real path */
  readonly workspace: string;
  readonly patterns: readonly ProtectedPattern[];
  /** whether repositories, work trees and submodules are protected */
  readonly protectsGit: boolean;
  /** folders in which nothing is looked for: the agent's home */
  readonly skipped: readonly string[];
  /** {@link mostEntries} unless a test says otherwise */
  readonly maximumEntries?: number;
  /**
   * What agents can't write that work in the folder now: it is protected as far as it is asked for, whatever they do to
   * hide it meanwhile. Default: nobody works there.
   */
  readonly boundElsewhere?: () => Promise<readonly string[]>;
}

export interface FoundProtected {
  /** what exists; none lies in another */
  readonly paths: readonly ProtectedPath[];
  /** false: the folder was too large to be searched to its end, has names that are no text, or never came to rest */
  readonly isComplete: boolean;
  /** false: something was renamed or removed in it all the time, so that what was found may be elsewhere now */
  readonly isSettled: boolean;
  /** false: configurations of git are so large, or name so much, that not all was looked at */
  readonly isGitComplete: boolean;
}

/** Entries that are looked at: 0.4 s on a local disk (measured), and a network file system must not hold up a start. */
const mostEntries = 100_000;
const maximumMilliseconds = 5000;
/** Searches of a folder in which something is renamed meanwhile, with pauses of 0.6 s in all. */
const maximumTries = 6;
const firstPauseMilliseconds = 20;
/** beyond PATH_MAX (<linux/limits.h>, 4096 with the NUL) a path can't be bound */
const maximumPathBytes = 4000;

interface Repository {
  /** of the `.git` */
  readonly path: string;
  readonly workTree: string;
}

interface Search extends ProtectionRequest {
  readonly found: Map<string, ProtectedPath>;
  readonly repositories: Repository[];
  readonly maximumEntries: number;
  breakAt: number;
  entries: number;
  isComplete: boolean;
  /** false: what was seen was gone a moment later, so that it may be anywhere */
  isSettled: boolean;
}

/**
 * Finds what exists of what must be read-only: names at the top of the folder and of each repository in it, and the
 * repositories themselves. Breadth first, never through a link, in bounded time; nothing is made. Searches again when
 * something is renamed meanwhile.
 * @throws UserError `protected.…` for what exists and can't be made read-only
 */
export async function findProtectedPaths(request: ProtectionRequest): Promise<FoundProtected> {
  const deadline = Date.now() + maximumMilliseconds;
  for (let tries = 1, pause = firstPauseMilliseconds; ; tries += 1, pause *= 2) {
    const search: Search = {
      ...{ maximumEntries: mostEntries, ...request, found: new Map(), repositories: [] },
      ...{ breakAt: 0, entries: 0, isComplete: true, isSettled: true },
    };
    const isGitComplete = await searchOnce(search, deadline);
    if (search.isSettled || tries === maximumTries || Date.now() + pause > deadline) {
      const { isSettled } = search;
      const isComplete = search.isComplete && isSettled;
      return { paths: outermost(search), isComplete, isSettled, isGitComplete };
    }
    await delay(pause);
  }
}

/** @returns whether all that git's configuration names was looked at */
async function searchOnce(search: Search, deadline: number): Promise<boolean> {
  const { boundElsewhere = () => Promise.resolve([]) } = search;
  // before and after: an agent can begin meanwhile, and it can end
  const bound = [await boundElsewhere()];
  // grows while it is gone through
  const folders = [search.workspace];
  for (const folder of folders) {
    if (search.entries > search.maximumEntries || Date.now() > deadline) {
      search.isComplete = false;
      break;
    }
    for (const below of await searchFolder(folder, search)) folders.push(below);
  }
  // what they name comes last: none of it takes the place of what is known by its own name
  const isGitComplete = await readEach(search.repositories, (repository, reading) =>
    protectNamed(repository, reading, search),
  );
  bound.push(await boundElsewhere());
  for (const paths of bound) await protectBound(paths, search);
  await lookAgain(search);
  return isGitComplete;
}

/** Protects what others can't write. */
async function protectBound(paths: readonly string[], search: Search): Promise<void> {
  for (const path of paths) {
    const rule = ruleOfBound(path, search);
    if (rule !== undefined && !isSkippedPath(path, search)) await protect(path, rule, search);
  }
}

/** What has moved since it was found could not be bound, and what is named by its place was looked for elsewhere. */
async function lookAgain(search: Search): Promise<void> {
  for (const { path, identity } of search.found.values()) {
    const stats = await lstat(path, { bigint: true }).catch(() => undefined);
    const present = stats && identityOf(stats);
    search.isSettled &&= present?.device === identity.device && present.inode === identity.inode;
  }
}

function outermost({ found }: Search): ProtectedPath[] {
  const all = [...found.values()];
  const isCovered = ({ path }: ProtectedPath): boolean =>
    all.some((other) => other.path !== path && isSameOrInside(other.path, path));
  return all.filter((path) => !isCovered(path));
}

/** @returns the folders in it to go on with */
async function searchFolder(folder: string, search: Search): Promise<string[]> {
  const listed = await listFolder(folder, search.maximumEntries - search.entries);
  if (listed.isClosed) refuseClosed(folder, search);
  search.entries += listed.entries.length;
  search.isComplete &&= listed.isComplete;
  search.isSettled &&= listed.isSettled;
  const isTop = folder === search.workspace;
  const firsts = search.patterns.map(({ literals }) => literals[0]);
  const entries = await withNamed(folder, listed, [gitName, ...firsts]);
  const hasGit = entries.some(isGit);
  for (const entry of entries) {
    if (search.protectsGit && isGit(entry)) {
      await protectGit(join(folder, entry.name), folder, search);
    }
    if (isTop || hasGit) await matchPatterns(folder, entry, isTop, search);
    if (performance.now() > search.breakAt) search.breakAt = await takeBreak();
  }
  return listed.entries.flatMap(({ name, isFolder }) => {
    const path = join(folder, name);
    if (!isFolder || isGit({ name }) || search.skipped.includes(path)) return [];
    const canBeBound = Buffer.byteLength(path) <= maximumPathBytes;
    search.isComplete &&= canBeBound;
    return canBeBound ? [path] : [];
  });
}

/**
 * What is protected must not be hidden behind so many other names that they are not all listed: then it is looked up by
 * its name. What matches a name with a `*`, or in another case, is not found there.
 */
async function withNamed(
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

/** Whatever it holds, programs find it there by its name. */
function refuseClosed(folder: string, search: Search): never {
  throw protectionRefusal('unreadable', gitName, search.workspace, folder);
}

function isGit({ name }: Pick<FolderEntry, 'name'>): boolean {
  return name.toLowerCase() === gitName;
}

/** A path of several names counts from the top of the folder only. */
async function matchPatterns(
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

async function protectGit(path: string, workTree: string, search: Search): Promise<void> {
  if (!(await protect(path, gitName, search))) return;
  if ((await listFolder(path, 1)).isClosed) refuseClosed(path, search);
  search.repositories.push({ path, workTree });
}

/** Protects what else a repository makes git read or run. */
async function protectNamed(
  { path, workTree }: Repository,
  reading: GitReading,
  search: Search,
): Promise<void> {
  const { paths, programs } = await furtherGitPaths(path, workTree, search.workspace, reading);
  for (const further of paths) {
    // a folder that holds all of the workspace, or the work tree itself, can't be read-only
    if (!isSameOrInside(further, workTree) && !isSkippedPath(further, search)) {
      if ((await listFolder(further, 1)).isClosed) refuseClosed(further, search);
      await protect(further, gitName, search);
    }
  }
  for (const program of programs) {
    if (!isSkippedPath(program, search)) await protectProgram(program, search);
  }
}

/** What can't be read-only is watched: nobody knows whether it is a program, so no start is refused for it. */
async function protectProgram(path: string, search: Search): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  search.isSettled &&= stats !== undefined;
  const isPlain = stats?.isFile() === true && stats.nlink === 1;
  if (isPlain && search.found.size < maximumProtectedPaths) await protect(path, gitName, search);
}

function isSkippedPath(path: string, { skipped }: Search): boolean {
  return skipped.some((folder) => isSameOrInside(folder, path));
}

/**
 * @param path what was seen there before
 * @returns whether there is something still
 * @throws UserError when it can't be made read-only
 */
async function protect(path: string, rule: string, search: Search): Promise<boolean> {
  if (search.found.has(path)) return true;
  const refuse = (problem: Parameters<typeof protectionRefusal>[0]): never => {
    throw protectionRefusal(problem, rule, search.workspace, path);
  };
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  if (stats === undefined) {
    search.isSettled = false;
    return false;
  }
  if (stats.isSymbolicLink()) return refuse('symbolicLink');
  if (!stats.isFile() && !stats.isDirectory()) return refuse('notAFile');
  if (stats.isFile() && stats.nlink > 1n) return refuse('hardLinked');
  if (search.found.size >= maximumProtectedPaths) throw tooManyProtected(search.workspace);
  search.found.set(path, { path, identity: identityOf(stats), rule });
  return true;
}
