import { lstat } from 'node:fs/promises';
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
import { stampOfFolder } from './listFolder';
import { takeBreak } from './takeBreak';

export interface ProtectionRequest {
  /** real path */
  readonly workspace: string;
  readonly patterns: readonly ProtectedPattern[];
  /** whether repositories, work trees and submodules are protected */
  readonly protectsGit: boolean;
  /** folders in which nothing is looked for: homes of agents */
  readonly skipped: readonly string[];
  /** as many as `findProtected.ts` has unless a test says otherwise */
  readonly maximumEntries?: number;
  /**
   * What agents can't write that work in the folder now: it is protected as far as it is asked for, whatever they do to
   * hide it meanwhile. Default: nobody works there.
   */
  readonly boundElsewhere?: () => Promise<readonly string[]>;
  /**
   * Whether there are agents of which it is not known what they can't write, once `boundElsewhere` was asked: then nothing
   * may come or go in any folder until all were searched, and what they can have hidden in a repository is looked for.
   */
  readonly isWatchful?: () => boolean;
}

/** The `.git` of a repository, a work tree or a submodule. */
export interface Repository {
  /** of the `.git` */
  readonly path: string;
  readonly workTree: string;
}

interface Found extends ProtectedPath {
  /** by its own name, and not because git's configuration names it */
  readonly isNamed: boolean;
}

/** One search of a workspace: what is looked for, and what is known by now. */
export interface Search extends ProtectionRequest {
  readonly found: Map<string, Found>;
  readonly repositories: Repository[];
  /** all that others can't write, as they said */
  readonly bound: Set<string>;
  /** the stamps of the folders that were listed, by their paths */
  readonly listed: Map<string, string>;
  readonly maximumEntries: number;
  /** all that is known by its own name */
  areNamesFound: boolean;
  breakAt: number;
  entries: number;
  isComplete: boolean;
  /** false: what was seen was gone a moment later, so that it may be anywhere */
  isSettled: boolean;
}

/**
 * Adds something to what was found.
 * @param path what was seen there before
 * @returns whether there is something still
 * @throws UserError when it can't be made read-only
 */
export async function protect(path: string, rule: string, search: Search): Promise<boolean> {
  if (search.found.has(path)) return true;
  const isNamed = !search.areNamesFound;
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
  search.found.set(path, { path, identity: identityOf(stats), rule, isNamed });
  return true;
}

/** Whatever it holds, programs find it there by its name. */
export function refuseClosed(folder: string, search: Search): never {
  throw protectionRefusal('unreadable', gitName, search.workspace, folder);
}

/** Whether nothing is looked for there. */
export function isSkippedPath(path: string, { skipped }: Search): boolean {
  return skipped.some((folder) => isSameOrInside(folder, path));
}

/**
 * What has moved since it was found could not be bound, and what is named by its place was looked for elsewhere. What
 * another agent can have put into something else that is found is not bound where it takes it out again: the bind holds
 * for all below, and Apptainer would make another one only within it.
 */
export async function lookAgain(search: Search): Promise<void> {
  const { found, bound, listed, isWatchful } = search;
  for (const { path, identity } of found.values()) {
    const stats = await lstat(path, { bigint: true }).catch(() => undefined);
    const present = stats && identityOf(stats);
    search.isSettled &&= present?.device === identity.device && present.inode === identity.inode;
  }
  const isMovable = ({ path, isNamed }: Found): boolean =>
    bound.has(path) || (isNamed && isWatchful?.() === true);
  for (const one of [...found.values()].filter(isMovable)) {
    search.isSettled &&= ![...found.values()].some((other) => holds(other, one) && !bound.has(other.path));
  }
  if (isWatchful?.() !== true) return;
  for (const [path, stamp] of listed) {
    search.isSettled &&= stampOfFolder(path) === stamp;
    if (performance.now() > search.breakAt) search.breakAt = await takeBreak();
  }
}

function holds(outer: ProtectedPath, inner: ProtectedPath): boolean {
  return outer.path !== inner.path && isSameOrInside(outer.path, inner.path);
}

/** What was found, without what lies in something else of it: a bind holds for all below. */
export function outermost({ found }: Search): ProtectedPath[] {
  const all = [...found.values()];
  return all
    .filter((one) => !all.some((other) => holds(other, one)))
    .map(({ path, identity, rule }) => ({ path, identity, rule }));
}
