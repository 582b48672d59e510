import { ancestorsOf, type BytePath, nameOf, parentOf } from './bytePath';
import {
  type Entries,
  type Entry,
  type FileEntry,
  hasSameContent,
  isSameEntry,
  type Manifest,
} from './manifest';

/** `mode`: the same content with other permissions. `renamed`: the same content in another place. */
export type ChangeKind = 'new' | 'changed' | 'gone' | 'renamed' | 'mode';

/** What became of one path between two looks. */
export interface Change {
  readonly path: BytePath;
  readonly kind: ChangeKind;
  /** missing for what is new */
  readonly before?: Entry;
  /** missing for what is gone */
  readonly after?: Entry;
  /** of something renamed: where it was */
  readonly from?: BytePath;
}

/**
 * What changed between two looks at a folder, by path. Of a folder that came or went with something in it only that
 * is named. Of a truncated look nothing is said to be gone (or, were it the first one, new), and nothing is said to be
 * new when the first one hides what was new to it.
 */
export function diffManifests(before: Manifest, after: Manifest): Change[] {
  const changes: Change[] = [];
  const occupied = [foldersInUse(before.entries), foldersInUse(after.entries)] as const;
  for (const [path, present] of after.entries) {
    const earlier = before.entries.get(path);
    if (earlier) {
      changes.push(...compare(path, earlier, present));
    } else if (
      !before.isTruncated &&
      !before.hidesNew &&
      !isInClosed(before.entries, path) &&
      isWorthNaming(present, path, occupied[1])
    ) {
      changes.push({ path, kind: 'new', after: present });
    }
  }
  for (const [path, earlier] of before.entries) {
    const isGone = !after.isTruncated && !after.entries.has(path) && !isInClosed(after.entries, path);
    if (isGone && isWorthNaming(earlier, path, occupied[0])) {
      changes.push({ path, kind: 'gone', before: earlier });
    }
  }
  return joinRenames(changes).sort((one, other) => (one.path < other.path ? -1 : 1));
}

function compare(path: BytePath, before: Entry, after: Entry): Change[] {
  if (isSameEntry(before, after)) return [];
  return [{ path, kind: hasSameContent(before, after) ? 'mode' : 'changed', before, after }];
}

/** A folder that could not be looked into hides what is in it. */
function isInClosed(entries: Entries, path: BytePath): boolean {
  return ancestorsOf(path).some((folder) => entries.get(folder)?.kind === 'closed');
}

function foldersInUse(entries: Entries): ReadonlySet<BytePath> {
  const used = new Set<BytePath>();
  for (const path of entries.keys()) used.add(parentOf(path));
  return used;
}

function isWorthNaming(entry: Entry, path: BytePath, occupied: ReadonlySet<BytePath>): boolean {
  return entry.kind !== 'folder' || !occupied.has(path);
}

/** Joins what is gone here and new there with the same content: those of the same name first. */
function joinRenames(changes: readonly Change[]): Change[] {
  const byName = (change: Change, content: string): string => `${content} ${nameOf(change.path)}`;
  return joinBy(joinBy(changes, byName), (_change, content) => content);
}

/** Joins each new file with a gone one of the same key; with several it does not matter which. */
function joinBy(changes: readonly Change[], keyOf: (change: Change, content: string) => string): Change[] {
  const keyed = (change: Change, entry: Entry | undefined): string | undefined => {
    const content = contentOf(entry);
    return content === undefined ? undefined : keyOf(change, content);
  };
  const sources = new Map<string, Change[]>();
  for (const change of changes) {
    const key = change.kind === 'gone' ? keyed(change, change.before) : undefined;
    if (key === undefined) continue;
    const known = sources.get(key);
    if (known) known.push(change);
    else sources.set(key, [change]);
  }
  const joined = new Set<Change>();
  const all = changes.map((change): Change => {
    const key = change.kind === 'new' ? keyed(change, change.after) : undefined;
    const source = key === undefined ? undefined : sources.get(key)?.pop();
    if (!source?.before) return change;
    joined.add(source);
    return { ...change, kind: 'renamed', from: source.path, before: source.before };
  });
  return all.filter((change) => !joined.has(change));
}

/** Empty files are all alike, so they are no renames. */
function contentOf(entry: Entry | undefined): string | undefined {
  if (entry?.kind !== 'file' || entry.size === 0) return undefined;
  return entry.sha256 ?? inodeOf(entry);
}

/** A file that was not read is known by inode, size and time of its last change: renaming leaves them alone. */
function inodeOf({ stamp }: FileEntry): string {
  return stamp.split(' ').slice(0, 3).join(' ');
}

/** How many files and links of these changes there are: folders are not counted. */
export function countFiles(changes: readonly Change[]): number {
  return changes.filter(({ before, after }) => (after ?? before)?.kind !== 'folder').length;
}

/** The paths that must be brought back to undo changes. */
export function pathsOf(changes: readonly Change[]): BytePath[] {
  return changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
}
