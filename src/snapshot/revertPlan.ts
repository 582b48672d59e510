import { ancestorsOf, type BytePath, depthOf } from './bytePath';
import { type Entry, type FileEntry, hasSameContent, type LinkEntry, type Manifest } from './manifest';

/**
 * One step back. `expected` is what was seen there just before: when it is anything else by now, it is left alone.
 */
export type RevertStep =
  | { readonly do: 'remove'; readonly path: BytePath; readonly expected: Entry }
  /** of a folder that is empty by now; one that is not stays */
  | { readonly do: 'removeFolder'; readonly path: BytePath }
  | { readonly do: 'makeFolder'; readonly path: BytePath; readonly mode: number }
  | {
      readonly do: 'write';
      readonly path: BytePath;
      readonly entry: FileEntry | LinkEntry;
      readonly expected: Entry | undefined;
    }
  | { readonly do: 'changeMode'; readonly path: BytePath; readonly mode: number; readonly expected: Entry };

/**
 * Why something stays as it is. `notKept`: its content before is not kept. `notSaved`: the present content could not
 * be kept, so removing it could not be undone. `special`: a device or the like can't be made again. `closed`: it can't
 * be looked into. `changed`: it was changed meanwhile. `failed`: the system did not let us.
 */
export type LeftReason = 'notKept' | 'notSaved' | 'special' | 'closed' | 'changed' | 'failed';

export interface Left {
  readonly path: BytePath;
  readonly reason: LeftReason;
}

export interface RevertPlan {
  /** in this order */
  readonly steps: readonly RevertStep[];
  readonly left: readonly Left[];
  /** every path that a step touches */
  readonly touched: readonly BytePath[];
}

export interface RevertWish {
  readonly before: Manifest;
  /** what is there now, with its contents kept */
  readonly present: Manifest;
  readonly paths: ReadonlySet<BytePath>;
  /** also what could not be brought back again */
  readonly force?: boolean;
}

/** The steps that bring paths back to what they were: first what must go, then folders, contents, permissions. */
export function planRevert(wish: RevertWish): RevertPlan {
  const { before, present } = wish;
  const paths = withDependents(wish);
  const removals: RevertStep[] = [];
  const makings: RevertStep[] = [];
  const modes: RevertStep[] = [];
  const left: Left[] = [];
  const folders = new Set<BytePath>();
  for (const path of paths) {
    const was = before.entries.get(path);
    const is = present.entries.get(path);
    const problem = problemOf(was, is, wish.force === true);
    if (problem) {
      left.push({ path, reason: problem });
      continue;
    }
    if (is && mustGo(was, is)) removals.push(removal(path, is));
    ancestorsOf(path).forEach((folder) => folders.add(folder));
    makings.push(...making(path, was, is));
    modes.push(...modeChange(path, was, is));
  }
  for (const folder of folders) {
    const [was, is] = [before.entries.get(folder), present.entries.get(folder)];
    if (paths.has(folder)) continue;
    if (was?.kind === 'folder' && !is) makings.push({ do: 'makeFolder', path: folder, mode: was.mode });
    if (!was && is?.kind === 'folder') removals.push({ do: 'removeFolder', path: folder });
  }
  const steps = [...deepestFirst(removals), ...shallowestFirst(makings), ...modes];
  return { steps, left, touched: [...new Set(steps.map(({ path }) => path))] };
}

/** Adds what stands in the way: of a folder that became something else its place, and all that a new folder holds. */
function withDependents({ before, present, paths }: RevertWish): ReadonlySet<BytePath> {
  const all = new Set(paths);
  for (const path of paths) {
    for (const folder of ancestorsOf(path)) {
      const is = present.entries.get(folder);
      if (before.entries.get(folder)?.kind === 'folder' && is && is.kind !== 'folder') all.add(folder);
    }
  }
  const replaced = [...all].filter(
    (path) => present.entries.get(path)?.kind === 'folder' && before.entries.get(path)?.kind !== 'folder',
  );
  const inTheWay = new Set(replaced);
  if (inTheWay.size > 0) {
    for (const path of present.entries.keys()) {
      if (ancestorsOf(path).some((folder) => inTheWay.has(folder))) all.add(path);
    }
  }
  return all;
}

function problemOf(was: Entry | undefined, is: Entry | undefined, force: boolean): LeftReason | undefined {
  // the same content, and all that a folder holds: only the permissions are another's
  if (was !== undefined && is !== undefined && hasSameContent(was, is)) return undefined;
  if (is?.kind === 'closed' || was?.kind === 'closed') return 'closed';
  if (was?.kind === 'other') return 'special';
  if (was?.kind === 'file' && (was.notKept !== undefined || was.sha256 === undefined)) return 'notKept';
  if (is?.kind === 'file' && is.notKept !== undefined && !force) return 'notSaved';
  return undefined;
}

/** A file or link is replaced in one go; a folder and anything else can't take each other's place. */
function mustGo(was: Entry | undefined, is: Entry): boolean {
  return was === undefined || (was.kind === 'folder') !== (is.kind === 'folder');
}

function removal(path: BytePath, is: Entry): RevertStep {
  return is.kind === 'folder' ? { do: 'removeFolder', path } : { do: 'remove', path, expected: is };
}

function making(path: BytePath, was: Entry | undefined, is: Entry | undefined): RevertStep[] {
  if (was?.kind === 'folder') {
    return is && hasSameContent(was, is) ? [] : [{ do: 'makeFolder', path, mode: was.mode }];
  }
  if (was?.kind !== 'file' && was?.kind !== 'link') return [];
  if (is && hasSameContent(was, is)) return [];
  return [{ do: 'write', path, entry: was, expected: is?.kind === 'folder' ? undefined : is }];
}

function modeChange(path: BytePath, was: Entry | undefined, is: Entry | undefined): RevertStep[] {
  if (!was || !is || !('mode' in was && 'mode' in is) || !hasSameContent(was, is)) return [];
  return was.mode === is.mode ? [] : [{ do: 'changeMode', path, mode: was.mode, expected: is }];
}

function deepestFirst(steps: readonly RevertStep[]): RevertStep[] {
  return [...steps].sort((one, other) => depthOf(other.path) - depthOf(one.path) || byPath(one, other));
}

function shallowestFirst(steps: readonly RevertStep[]): RevertStep[] {
  const rank = ({ do: what, path }: RevertStep): number => (what === 'makeFolder' ? depthOf(path) : Infinity);
  return [...steps].sort((one, other) => {
    const [first, second] = [rank(one), rank(other)];
    return first === second ? byPath(one, other) : first - second;
  });
}

function byPath(one: RevertStep, other: RevertStep): number {
  return one.path < other.path ? -1 : 1;
}
