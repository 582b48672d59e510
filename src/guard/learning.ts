import type { BigIntStats } from 'node:fs';
import { digest } from './examine';
import { maximumKeptBytes } from './guardStore';
import type { Mark } from './mark';

/** of a content, for what is known of it */
const contentBytes = 200;

/**
 * Of what is learnt, as it is kept: some 120,000 files. What is beyond is not known, and found later; together with
 * findings it must fit into the 64 MB that are read of what is kept.
 */
const mostKnownBytes = 40 * 2 ** 20;
/** of a mark without its path */
const markBytes = 320;

/** beyond so many files of which most are executable, that is what the file system says of every file */
const fewFiles = 20;

/** One look at everything, of which what is there is taken as known. */
export class Learning {
  /** The contents, by their sha256: they are written at once when it is done. */
  readonly contents = new Map<string, Buffer>();
  private bytes = 0;
  private knownBytes = 0;
  private files = 0;
  private executables = 0;

  /** @param earlier what was known before: what is the same need not be read again */
  constructor(
    readonly earlier: ReadonlyMap<string, Mark> = new Map(),
    private readonly maximumKnownBytes = mostKnownBytes,
  ) {}

  /** Whether the file system makes every file executable. */
  get ignoresExecutables(): boolean {
    return this.files > fewFiles && this.executables > this.files / 2;
  }

  /** Something was seen. */
  see(stats: BigIntStats): void {
    if (!stats.isFile()) return;
    this.files += 1;
    if ((stats.mode & 0o100n) !== 0n) this.executables += 1;
  }

  /** Keeps a content while there is room. @returns its sha256; undefined when it is not kept */
  add(content: Buffer): string | undefined {
    const bytes = content.length + contentBytes;
    if (this.bytes + bytes > maximumKeptBytes) return undefined;
    const name = digest(content);
    this.bytes += bytes;
    this.contents.set(name, content);
    return name;
  }

  /** Takes the room that one more takes that is known. @returns whether there was so much */
  takeRoomFor(path: string): boolean {
    this.knownBytes += Buffer.byteLength(JSON.stringify(path)) + markBytes;
    return this.knownBytes <= this.maximumKnownBytes;
  }
}
