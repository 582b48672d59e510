import type { BytePath } from './bytePath';
import type { Entry, Manifest, NotKept, SnapshotReason } from './manifest';

/** Raised when an older version could not read it. */
const version = 1;

const notKeptLetters: Readonly<Record<NotKept, string>> = {
  large: 'l',
  full: 'f',
  changing: 'c',
  unreadable: 'u',
};

/** `[path, kind, …]`: a folder can have hundreds of thousands of entries, so names of fields are left out. */
type Row = readonly (string | number)[];

interface Document extends Omit<Manifest, 'entries' | 'ignoreFiles'> {
  readonly version: number;
  readonly ignoreFiles: readonly (readonly [BytePath, string])[];
  readonly entries: readonly Row[];
}

/** A manifest as JSON. */
export function writeManifest(manifest: Manifest): string {
  const document: Document = {
    ...manifest,
    version,
    ignoreFiles: [...manifest.ignoreFiles],
    entries: [...manifest.entries].map(([path, entry]) => toRow(path, entry)),
  };
  return JSON.stringify(document);
}

/**
 * Reads what {@link writeManifest} wrote, in a place that only we can write.
 * @returns undefined for one of another version, or none
 */
export function readManifest(text: string): Manifest | undefined {
  try {
    const { version: found, ...document } = JSON.parse(text) as Document;
    if (found !== version) return undefined;
    return {
      ...document,
      ignoreFiles: new Map(document.ignoreFiles),
      entries: new Map(document.entries.map((row) => [String(row[0]) as BytePath, fromRow(row)])),
    };
  } catch {
    return undefined;
  }
}

function toRow(path: BytePath, entry: Entry): Row {
  switch (entry.kind) {
    case 'file': {
      const flags = [
        entry.notKept === undefined ? '' : notKeptLetters[entry.notKept],
        entry.isBinary ? 'b' : '',
        entry.isYoung ? 'y' : '',
      ].join('');
      return [path, 'f', entry.mode, entry.size, entry.stamp, entry.sha256 ?? '', flags];
    }
    case 'link':
      return [path, 'l', entry.target];
    case 'folder':
      return [path, 'd', entry.mode];
    case 'other':
      return [path, 'o'];
    case 'closed':
      return [path, 'c', entry.mode];
  }
}

function fromRow([, kind, first, ...rest]: Row): Entry {
  switch (kind) {
    case 'f':
      return fileOf(Number(first), rest);
    case 'l':
      return { kind: 'link', target: String(first) as BytePath };
    case 'd':
      return { kind: 'folder', mode: Number(first) };
    case 'o':
      return { kind: 'other' };
    case 'c':
      return { kind: 'closed', mode: Number(first) };
    default:
      throw new Error('not a row of a manifest');
  }
}

function fileOf(mode: number, [size, stamp, sha256, flags]: Row): Entry {
  const letters = String(flags);
  const notKept = (Object.keys(notKeptLetters) as NotKept[]).find((reason) =>
    letters.includes(notKeptLetters[reason]),
  );
  return {
    kind: 'file',
    mode,
    size: Number(size),
    stamp: String(stamp),
    ...(sha256 === '' ? {} : { sha256: String(sha256) }),
    ...(notKept ? { notKept } : {}),
    ...(letters.includes('b') ? { isBinary: true } : {}),
    ...(letters.includes('y') ? { isYoung: true } : {}),
  };
}

/** `<milliseconds>-<id>`: names sort like times; 13 digits last until the year 2286. */
export const manifestName = /^(\d{13})-([0-9a-f]{16})-(start|revert)\.manifest$/;

/** The name of the file for a manifest. */
export function nameOfManifest({ time, id, reason }: Pick<Manifest, 'time' | 'id' | 'reason'>): string {
  return `${String(Math.floor(time)).padStart(13, '0')}-${id}-${reason}.manifest`;
}

/** A snapshot, as the name of its file tells it. */
export interface SnapshotName {
  readonly fileName: string;
  readonly id: string;
  readonly time: number;
  readonly reason: SnapshotReason;
}

/** What the names of files tell, the oldest snapshot first; other names are left out. */
export function snapshotNames(fileNames: readonly string[]): SnapshotName[] {
  return [...fileNames].sort().flatMap((fileName) => {
    const [, time, id, reason] = manifestName.exec(fileName) ?? [];
    return id === undefined ? [] : [{ fileName, id, time: Number(time), reason: reason as SnapshotReason }];
  });
}
