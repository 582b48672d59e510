import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packsToClean } from '../../snapshot/keepPolicy';
import { codeOf } from '../safeFiles';

/**
 * Contents by their SHA-256, many to a file: a home on a cluster has a quota of files, and making thousands of them
 * on a network file system takes minutes. `<id>.pack` holds contents one after the other, `<id>.index` says what is
 * where. All of it is ours alone; contents are checked when they are read.
 */

/** Where a content is. */
export interface Location {
  readonly pack: string;
  readonly offset: number;
  readonly size: number;
}

type IndexRow = readonly [sha256: string, offset: number, size: number];

const indexName = /^([0-9a-f]{16})\.index$/;
const packName = /^([0-9a-f]{16})\.pack$/;

/** What is written at once. */
const batchBytes = 4 * 2 ** 20;

/** All contents in the packs of a folder. A pack without an index was not finished, and holds nothing. */
export function readPacks(directory: string): Map<string, Location> {
  const found = new Map<string, Location>();
  for (const pack of packIds(directory, indexName)) {
    for (const [sha256, offset, size] of readIndex(directory, pack))
      found.set(sha256, { pack, offset, size });
  }
  return found;
}

/**
 * Reads a content.
 * @throws Error when it is not what it was, or is gone
 */
export function readContent(directory: string, sha256: string, { pack, offset, size }: Location): Buffer {
  const file = openSync(join(directory, `${pack}.pack`), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const content = Buffer.alloc(size);
    for (let done = 0; done < size;) {
      const read = readSync(file, content, done, size - done, offset + done);
      if (read === 0) throw new Error(`the pack ${pack} ends too early`);
      done += read;
    }
    if (sha256Of(content) !== sha256) throw new Error(`a content of the pack ${pack} has changed`);
    return content;
  } finally {
    closeSync(file);
  }
}

export function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Adds contents to a new pack. */
export class PackWriter {
  private readonly id = randomBytes(8).toString('hex');
  private readonly rows: IndexRow[] = [];
  private readonly batch: Buffer[] = [];
  private batched = 0;
  private offset = 0;
  private file: number | undefined;

  /** @param known what is in other packs already, and is completed with what is added */
  constructor(
    private readonly directory: string,
    private readonly known: Map<string, Location>,
  ) {}

  /** Adds a content unless it is there already. */
  add(sha256: string, content: Buffer): void {
    if (this.known.has(sha256)) return;
    const { length: size } = content;
    this.known.set(sha256, { pack: this.id, offset: this.offset, size });
    this.rows.push([sha256, this.offset, size]);
    this.offset += size;
    // who adds it uses its buffer again
    this.batch.push(Buffer.from(content));
    this.batched += size;
    if (this.batched >= batchBytes) this.flush();
  }

  /** Makes what was added part of the store. */
  finish(): void {
    if (this.rows.length === 0) return;
    this.flush();
    this.close();
    writePrivate(join(this.directory, `${this.id}.index`), gzipSync(JSON.stringify(this.rows), { level: 1 }));
  }

  /** Lets go of what was not finished. */
  abandon(): void {
    this.close();
    rmSync(join(this.directory, `${this.id}.pack`), { force: true });
  }

  private close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  private flush(): void {
    this.file ??= createPrivate(join(this.directory, `${this.id}.pack`));
    writeAll(this.file, Buffer.concat(this.batch));
    this.batch.length = 0;
    this.batched = 0;
  }
}

/** Removes packs that nobody needs, and rewrites those of which most is not needed any more. */
export function cleanPacks(directory: string, needed: ReadonlySet<string>): void {
  const contents = readPacks(directory);
  const use = new Map<string, { bytes: number; neededBytes: number }>();
  for (const pack of packIds(directory, packName)) use.set(pack, { bytes: 0, neededBytes: 0 });
  for (const [sha256, { pack, size }] of contents) {
    const sums = use.get(pack);
    if (!sums) continue;
    sums.bytes += size;
    if (needed.has(sha256)) sums.neededBytes += Math.max(1, size);
  }
  const { remove, rewrite } = packsToClean([...use].map(([id, sums]) => ({ id, ...sums })));
  rewritePacks(directory, new Set(rewrite), contents, needed);
  for (const id of [...remove, ...rewrite]) {
    // first the index: a pack without one holds nothing
    for (const kind of ['index', 'pack']) rmSync(join(directory, `${id}.${kind}`), { force: true });
  }
}

function rewritePacks(
  directory: string,
  packs: ReadonlySet<string>,
  contents: ReadonlyMap<string, Location>,
  needed: ReadonlySet<string>,
): void {
  const moving = [...contents].filter(([sha256, { pack }]) => packs.has(pack) && needed.has(sha256));
  if (moving.length === 0) return;
  const writer = new PackWriter(directory, new Map());
  for (const [sha256, location] of moving) writer.add(sha256, readContent(directory, sha256, location));
  writer.finish();
}

/** Writes a file of ours at once and whole, mode 0600. */
export function writePrivate(path: string, content: Buffer): void {
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  const file = createPrivate(temporary);
  try {
    writeAll(file, content);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

function createPrivate(path: string): number {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

/** Writes all of it, in as many pieces as the kernel wants. */
export function writeAll(file: number, content: Buffer): void {
  for (let done = 0; done < content.length;) done += writeSync(file, content, done);
}

function readIndex(directory: string, pack: string): IndexRow[] {
  return JSON.parse(gunzipSync(readFileSync(join(directory, `${pack}.index`))).toString()) as IndexRow[];
}

function packIds(directory: string, pattern: RegExp): string[] {
  return namesIn(directory).flatMap((name) => pattern.exec(name)?.[1] ?? []);
}

/** The names in a folder of ours; a missing one has none. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
