import { codeOf, readSmallFile, UnsafeFileError } from '../host/safeFiles';

/** How much of git's files is read. */
interface GitLimits {
  readonly files: number;
  readonly bytes: number;
  readonly bytesInFile: number;
  readonly names: number;
  readonly namesInFile: number;
}

/**
 * Of all repositories in one look together. A configuration of git is a few kilobytes, and one that names 500 things has
 * been made to be slow. 1000 files are more than can be made read-only, 16 MB half a second of work, 10,000 names a second.
 */
const ofAll: GitLimits = {
  ...{ files: 1000, bytes: 16 * 2 ** 20, bytesInFile: 1_000_000 },
  ...{ names: 10_000, namesInFile: 500 },
};

/**
 * What each repository gets whatever the others take: a work tree of its own has nine files without includes. Of 256
 * repositories, more than a start allows, it is about as much as {@link ofAll}.
 */
const ofEach: GitLimits = { files: 12, bytes: 2 ** 16, bytesInFile: 2 ** 16, names: 50, namesInFile: 50 };

/** What is read of the files of git in one look at a workspace, up to some limits: a cloned folder may be made to be slow. */
export class GitReading {
  private bytes = 0;
  private files = 0;
  private names = 0;
  private isWhole = true;

  constructor(private readonly limits = ofAll) {}

  /** Whether all was read, and all names were taken; else git may act on what nobody knows of. */
  get isComplete(): boolean {
    return this.isWhole;
  }

  /** The text of a file; empty when there is none that can be read, or the limits are reached. */
  async textAt(path: string, maximumBytes = Infinity): Promise<string> {
    const { files, bytes, bytesInFile } = this.limits;
    const left = bytes - this.bytes;
    if (this.files >= files || left <= 0) {
      this.isWhole = false;
      return '';
    }
    this.files += 1;
    try {
      const content = await readSmallFile(path, Math.min(maximumBytes, bytesInFile, left));
      this.bytes += content.length;
      return content.toString();
    } catch (error) {
      if (!isAsForGit(error)) this.isWhole = false;
      return '';
    }
  }

  /** The names of one file, or one folder, that are taken. */
  take<Name>(names: readonly Name[]): readonly Name[] {
    const taken = names.slice(0, Math.min(this.limits.namesInFile, this.limits.names - this.names));
    this.names += taken.length;
    this.note(taken.length === names.length);
    return taken;
  }

  /** @param isComplete whether something else was looked at to its end; what follows is read all the same */
  note(isComplete: boolean): void {
    this.isWhole &&= isComplete;
  }
}

/** Whether git would not read it either: nothing is there, or what is there is no file, or not for this user. */
function isAsForGit(error: unknown): boolean {
  return error instanceof UnsafeFileError
    ? error.reason !== 'tooLarge'
    : ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(error) ?? '');
}

/**
 * Reads repositories one after the other: of each a little, so that none hides what the others name, then those of which
 * that was not all, as far as there is room.
 * @param read is called once or twice with each
 * @returns whether all was read
 */
export async function readEach<Repository>(
  repositories: readonly Repository[],
  read: (repository: Repository, reading: GitReading) => Promise<void>,
): Promise<boolean> {
  const large: Repository[] = [];
  for (const repository of repositories) {
    const reading = new GitReading(ofEach);
    await read(repository, reading);
    if (!reading.isComplete) large.push(repository);
  }
  const reading = new GitReading();
  for (const repository of large) await read(repository, reading);
  return reading.isComplete;
}
