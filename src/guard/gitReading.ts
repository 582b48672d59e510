import { readSmallFile, UnsafeFileError } from '../host/safeFiles';

/** A configuration of git is a few kilobytes; one that is larger than this is not looked into. */
const mostBytesInFile = 1_000_000;
/** of all in one look: half a second of work */
const mostBytes = 16 * 2 ** 20;
/** beyond so many files there is more than can be made read-only */
const mostFiles = 1000;
/** in one file: one that names more has been made to be slow */
const mostNamesInFile = 500;
/** in one look, a second of work */
const mostNames = 10_000;

/** What is read of the files of git in one look at a workspace, up to some limits: a cloned folder may be made to be slow. */
export class GitReading {
  private bytes = 0;
  private files = 0;
  private names = 0;
  private isWhole = true;

  /** Whether all was read, and all names were taken; else git may act on what nobody knows of. */
  get isComplete(): boolean {
    return this.isWhole;
  }

  /** The text of a file; empty when there is none that can be read, or the limits are reached. */
  async textAt(path: string, maximumBytes = mostBytesInFile): Promise<string> {
    if (this.files >= mostFiles || this.bytes >= mostBytes) this.isWhole = false;
    if (!this.isWhole) return '';
    this.files += 1;
    try {
      const content = await readSmallFile(path, maximumBytes);
      this.bytes += content.length;
      return content.toString();
    } catch (error) {
      if (error instanceof UnsafeFileError && error.reason === 'tooLarge') this.isWhole = false;
      return '';
    }
  }

  /** The names of one file that are taken. */
  take(names: readonly string[]): readonly string[] {
    const taken = names.slice(0, Math.min(mostNamesInFile, mostNames - this.names));
    this.names += taken.length;
    this.note(taken.length === names.length);
    return taken;
  }

  /** @param isComplete whether something else was looked at to its end */
  note(isComplete: boolean): void {
    this.isWhole &&= isComplete;
  }
}
