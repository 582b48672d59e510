import { dirname, relative } from 'node:path';

/** The name that the agent's home has in a workspace, as in the lesson, unless a setting says another place. */
export const agentHomeName = 'agent-home';

/** An absolute path without empty parts, `.`, `..` and a slash at its end: what a kernel writes. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !/\/\.{0,2}(?:\/|$)/.test(path);
}

/** Whether `path` is `folder` or lies below it. Both absolute and resolved; only the text is compared. */
export function isSameOrInside(folder: string, path: string): boolean {
  // a verdict asks hundreds of times, of paths of the kernel
  if (isPlain(folder) && isPlain(path)) {
    return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '/');
  }
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith('../'));
}

/** An absolute path and all folders above it: `/a/b`, `/a`, `/`. */
export function withAncestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withAncestors(parent)];
}

/**
 * A path of the host together with the kernel's names for it and for each folder above it, because one folder can
 * have two paths (a home that is mounted twice).
 */
export interface Place {
  /** absolute and resolved */
  readonly path: string;
  /** `device:inode` for each of {@link withAncestors}, empty where nothing is */
  readonly ancestry: readonly string[];
}

/** Whether `outer` is `inner` or holds it, by text or in the kernel's eyes. */
export function contains(outer: Place, inner: Place): boolean {
  return isSameOrInside(outer.path, inner.path) || depthBelow(outer, inner) >= 0;
}

/** The path of the entry of `outer` that is `inner` or holds it; undefined when `inner` is not below `outer`. */
export function entryTowards(outer: Place, inner: Place): string | undefined {
  const paths = withAncestors(inner.path);
  const byText = paths.indexOf(outer.path);
  return paths[(byText >= 0 ? byText : depthBelow(outer, inner)) - 1];
}

function depthBelow(outer: Place, inner: Place): number {
  const [name] = outer.ancestry;
  return name === undefined || name === '' ? -1 : inner.ancestry.indexOf(name);
}

/** What can be wrong with a file or folder in a place that somebody else can write in. */
export type FileProblem =
  'missing' | 'symbolicLink' | 'notAFile' | 'notAFolder' | 'tooLarge' | 'foreignOwner' | 'noAccess';
