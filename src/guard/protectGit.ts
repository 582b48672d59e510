import { lstat } from 'node:fs/promises';
import { isSameOrInside } from '../sandbox/paths';
import { gitName, maximumProtectedPaths } from '../sandbox/protectedPaths';
import { furtherGitPaths } from './furtherGitPaths';
import type { GitReading } from './gitReading';
import { listFolder } from './listFolder';
import { isSkippedPath, protect, refuseClosed, type Repository, type Search } from './protectedSearch';

/** Protects a `.git`, and notes that what it names is to be protected later. @throws UserError when it can't be */
export async function protectGit(path: string, workTree: string, search: Search): Promise<void> {
  if (!(await protect(path, gitName, search))) return;
  if ((await listFolder(path, 1)).isClosed) refuseClosed(path, search);
  search.repositories.push({ path, workTree });
}

/** Protects what else a repository makes git read or run. @throws UserError when it can't be */
export async function protectNamed(
  { path, workTree }: Repository,
  reading: GitReading,
  search: Search,
): Promise<void> {
  const { paths, programs } = await furtherGitPaths(path, workTree, search.workspace, reading);
  for (const further of paths) {
    // a folder that holds all of the workspace, or the work tree itself, can't be read-only
    const holdsAll = [workTree, search.workspace].some((folder) => isSameOrInside(further, folder));
    if (!holdsAll && !isSkippedPath(further, search)) {
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
