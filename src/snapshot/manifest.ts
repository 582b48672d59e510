import type { BytePath } from './bytePath';

/** What was in a folder at one moment: every file, link and folder that is not ignored. */
export interface Manifest {
  /** 16 hex digits; for the start of a sandbox its id */
  readonly id: string;
  readonly reason: SnapshotReason;
  /** real path of the folder, and the kernel's name for it */
  readonly workspace: string;
  readonly device: string;
  readonly inode: string;
  /** milliseconds since the epoch */
  readonly time: number;
  readonly limits: SnapshotLimits;
  /** paths that were not looked into, whatever is there: an agent's home */
  readonly closed: readonly BytePath[];
  /** the .gitignore files that counted, by their folder: what the agent makes of them later does not */
  readonly ignoreFiles: ReadonlyMap<BytePath, string>;
  /** there was more than is looked at: of what is not listed nothing is known */
  readonly isTruncated: boolean;
  /** of a look by an earlier one's rules: what is new is not all listed, as those rules took too long to match */
  readonly hidesNew?: boolean;
  readonly entries: Entries;
  /** of `revert`: the paths that it changed */
  readonly touched: readonly BytePath[];
}

/** `start`: before a sandbox could write. `revert`: before changes were undone, so that this can be undone, too. */
export type SnapshotReason = 'start' | 'revert';

export type Entries = ReadonlyMap<BytePath, Entry>;

export type Entry = FileEntry | LinkEntry | FolderEntry | OtherEntry | ClosedEntry;

export interface FileEntry {
  readonly kind: 'file';
  /** permissions with setuid, setgid and sticky bits: 12 bits */
  readonly mode: number;
  readonly size: number;
  readonly stamp: string;
  /** of the content; missing when that was not read */
  readonly sha256?: string;
  /** why the content is not kept; a file that is only compared has none, either */
  readonly notKept?: NotKept;
  /** git's rule: a NUL in the first 8000 bytes */
  readonly isBinary?: true;
  /** it was changed so shortly before it was read that its times prove nothing */
  readonly isYoung?: true;
}

/** `large`: over the limit for one file. `full`: over the limit for all. `changing`: whenever it was read, it changed. */
export type NotKept = 'large' | 'full' | 'changing' | 'unreadable';

export interface LinkEntry {
  readonly kind: 'link';
  readonly target: BytePath;
}

export interface FolderEntry {
  readonly kind: 'folder';
  readonly mode: number;
}

/** A FIFO, a socket or a device. */
export interface OtherEntry {
  readonly kind: 'other';
}

/** A folder that was not looked into: git's own, an agent's home, a mount point, one that may not be read, too deep. */
export interface ClosedEntry {
  readonly kind: 'closed';
  readonly mode: number;
}

/** Limits of one snapshot. */
export interface SnapshotLimits {
  /** of all contents together */
  readonly maximumBytes: number;
  /** of one file; a larger one is named, but not read */
  readonly maximumFileBytes: number;
  /** whether .gitignore files are respected */
  readonly respectsIgnoreFiles: boolean;
}

/** 8 MB: what people write by hand is smaller, and data is not what an undo is for. */
export const maximumFileBytes = 8 * 2 ** 20;

/** What a snapshot came to, for people. */
export interface SnapshotSummary {
  readonly id: string;
  readonly files: number;
  /** of the contents that are kept */
  readonly bytes: number;
  /** files that are named without content */
  readonly notKept: Readonly<Record<NotKept, number>>;
  readonly isTruncated: boolean;
}

/** Counts what a manifest holds. */
export function summarise({ id, entries, isTruncated }: Manifest): SnapshotSummary {
  const notKept: Record<NotKept, number> = { large: 0, full: 0, changing: 0, unreadable: 0 };
  let files = 0;
  let bytes = 0;
  for (const entry of entries.values()) {
    if (entry.kind !== 'file') continue;
    files += 1;
    if (entry.notKept) notKept[entry.notKept] += 1;
    else bytes += entry.size;
  }
  return { id, files, bytes, notKept, isTruncated };
}

/** Whether two looks at a path have found the very same, as far as can be told. */
export function isSameEntry(one: Entry, other: Entry): boolean {
  return hasSameContent(one, other) && modeOf(one) === modeOf(other);
}

/** The same but for the permissions. */
export function hasSameContent(one: Entry, other: Entry): boolean {
  if (one.kind === 'closed' || other.kind === 'closed') {
    // what is in it is not known; that it became something else is
    return [one.kind, other.kind].every((kind) => kind === 'closed' || kind === 'folder');
  }
  if (one.kind === 'file' && other.kind === 'file') {
    return one.sha256 !== undefined && other.sha256 !== undefined
      ? one.sha256 === other.sha256
      : one.stamp === other.stamp;
  }
  if (one.kind === 'link' && other.kind === 'link') return one.target === other.target;
  return one.kind === other.kind;
}

function modeOf(entry: Entry): number | undefined {
  return 'mode' in entry ? entry.mode : undefined;
}
