import { digest } from './examine';

/** of contents that are read in one look and kept, each with some for what is known of it */
const maximumContentBytes = 16 * 1024 * 1024;
const bytesForOne = 200;

/** The contents of what is learnt in one look at everything: they are written at once when it is done. */
export class LearntContents {
  private readonly contents = new Map<string, Buffer>();
  private bytes = 0;

  /** By their sha256. */
  get all(): ReadonlyMap<string, Buffer> {
    return this.contents;
  }

  /** Keeps a content while there is room. @returns its sha256; undefined when it is not kept */
  add(content: Buffer): string | undefined {
    const bytes = content.length + bytesForOne;
    if (this.bytes + bytes > maximumContentBytes) return undefined;
    const name = digest(content);
    this.bytes += bytes;
    this.contents.set(name, content);
    return name;
  }
}
