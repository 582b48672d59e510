import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { gitName, protectedInHome } from '../sandbox/protectedPaths';
import type { ProtectedPath } from '../sandbox/specification';
import { ruleOfBound } from './boundElsewhere';
import { readEach } from './gitReading';
import { type FolderEntry, listFolder } from './listFolder';
import {
  isSkippedPath,
  lookAgain,
  outermost,
  protect,
  type ProtectionRequest,
  refuseClosed,
  type Search,
} from './protectedSearch';
import { protectGit, protectNamed } from './protectGit';
import { matchPatterns, withNamed } from './protectPatterns';
import { repositoriesAbove } from './repositoriesAbove';
import { takeBreak } from './takeBreak';

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

/**
 * Finds what exists of what must be read-only: names at the top of the folder and of each repository in it, and the
 * repositories themselves. Breadth first, never through a link, in bounded time; nothing is made. Searches again when
 * something is renamed meanwhile.
 * @throws UserError `protected.…` for what exists and can't be made read-only
 */
export async function findProtectedPaths(request: ProtectionRequest): Promise<FoundProtected> {
  const deadline = performance.now() + maximumMilliseconds;
  for (let tries = 1, pause = firstPauseMilliseconds; ; tries += 1, pause *= 2) {
    const search: Search = {
      ...{ maximumEntries: mostEntries, ...request, found: new Map(), repositories: [] },
      ...{ bound: new Set<string>(), listed: new Map<string, string>() },
      ...{ areNamesFound: false, breakAt: 0, entries: 0, isComplete: true, isSettled: true },
    };
    const isGitComplete = await searchOnce(search, deadline);
    if (search.isSettled || tries === maximumTries || performance.now() + pause > deadline) {
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
    if (search.entries > search.maximumEntries || performance.now() > deadline) {
      search.isComplete = false;
      break;
    }
    for (const below of await searchFolder(folder, search)) folders.push(below);
  }
  search.areNamesFound = true;
  if (search.protectsGit) search.repositories.push(...(await repositoriesAbove(search.workspace)));
  // what they name comes last: none of it takes the place of what is known by its own name
  const isGitComplete = await readEach(search.repositories, (repository, reading) =>
    protectNamed(repository, reading, search),
  );
  bound.push(await boundElsewhere());
  for (const paths of bound) await protectBound(paths, search);
  await lookAgain(search);
  return isGitComplete;
}

/** Protects what others can't write. @throws UserError when it can't be: in its home an agent can write everything */
async function protectBound(paths: readonly string[], search: Search): Promise<void> {
  for (const path of paths) {
    const rule = ruleOfBound(path, search);
    if (rule === undefined) continue;
    if (isSkippedPath(path, search)) throw protectedInHome(search.workspace, path);
    search.bound.add(path);
    await protect(path, rule, search);
  }
}

/** @returns the folders in it to go on with */
async function searchFolder(folder: string, search: Search): Promise<string[]> {
  const listed = await listFolder(folder, search.maximumEntries - search.entries);
  if (listed.isClosed) refuseClosed(folder, search);
  search.listed.set(folder, listed.stamp);
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
    const isLookedInto = !isGit({ name }) || search.isWatchful?.() === true;
    if (!isFolder || !isLookedInto || search.skipped.includes(path)) return [];
    const canBeBound = Buffer.byteLength(path) <= maximumPathBytes;
    search.isComplete &&= canBeBound;
    return canBeBound ? [path] : [];
  });
}

function isGit({ name }: Pick<FolderEntry, 'name'>): boolean {
  return name.toLowerCase() === gitName;
}
