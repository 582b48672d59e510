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
}

/** The `.git` of a repository, a work tree or a submodule. */
export interface Repository {
  /** of the `.git` */
  readonly path: string;
  readonly workTree: string;
}

/** One search of a workspace: what is looked for, and what is known by now. */
export interface Search extends ProtectionRequest {
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
 * Adds something to what was found.
 * @param path what was seen there before
 * @returns whether there is something still
 * @throws UserError when it can't be made read-only
 */
export async function protect(path: string, rule: string, search: Search): Promise<boolean> {
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

/** Whatever it holds, programs find it there by its name. */
export function refuseClosed(folder: string, search: Search): never {
  throw protectionRefusal('unreadable', gitName, search.workspace, folder);
}

/** Whether nothing is looked for there. */
export function isSkippedPath(path: string, { skipped }: Search): boolean {
  return skipped.some((folder) => isSameOrInside(folder, path));
}

/** What has moved since it was found could not be bound, and what is named by its place was looked for elsewhere. */
export async function lookAgain(search: Search): Promise<void> {
  for (const { path, identity } of search.found.values()) {
    const stats = await lstat(path, { bigint: true }).catch(() => undefined);
    const present = stats && identityOf(stats);
    search.isSettled &&= present?.device === identity.device && present.inode === identity.inode;
  }
}

/** What was found, without what lies in something else of it: a bind holds for all below. */
export function outermost({ found }: Search): ProtectedPath[] {
  const all = [...found.values()];
  const isCovered = ({ path }: ProtectedPath): boolean =>
    all.some((other) => other.path !== path && isSameOrInside(other.path, path));
  return all.filter((path) => !isCovered(path));
}
