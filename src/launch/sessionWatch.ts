import { watch, type FSWatcher } from 'node:fs';
import { lstat, type FileHandle } from 'node:fs/promises';
import { entryPath } from '../host/safeFiles';
import { databaseFiles, openSessionFolder } from '../opencode/sessions/databaseFiles';

/** What is committed is written in several pieces. */
const commitMilliseconds = 20;
/** An agent that is busy writes many times a second. */
const restMilliseconds = 100;
/** A network file system does not tell of what other computers write, and a folder may appear later. */
const usualPollMilliseconds = 2000;

/** What opencode writes when something of a session changes; the second only while it has not merged its log. */
const watchedFiles: readonly string[] = databaseFiles;

/**
 * Tells when opencode has written sessions into a home. The agent can write there: no link is followed, and nothing is
 * opened but folders.
 */
export class SessionWatch {
  private watcher: { readonly fileWatcher: FSWatcher; readonly inode: bigint } | undefined;
  private settling: NodeJS.Timeout | undefined;
  private lastTold = -Infinity;
  private poll: NodeJS.Timeout | undefined;
  private seen: string | undefined;
  private isDisposed = false;

  /**
   * @param onChange called a moment after each change
   * @param pollMilliseconds how often it also looks by itself
   */
  constructor(
    private readonly home: string,
    private readonly onChange: () => void,
    private readonly pollMilliseconds = usualPollMilliseconds,
  ) {
    void this.look();
  }

  /** Whether the state is known from which changes are told. */
  get hasLooked(): boolean {
    return this.seen !== undefined;
  }

  dispose(): void {
    this.isDisposed = true;
    clearTimeout(this.settling);
    clearTimeout(this.poll);
    this.watcher?.fileWatcher.close();
  }

  private async look(): Promise<void> {
    const found = await this.readState().catch(() => '');
    if (this.isDisposed) return;
    if (this.seen !== undefined && found !== this.seen) this.changed();
    this.seen = found;
    this.poll = setTimeout(() => void this.look(), this.pollMilliseconds);
  }

  private changed(): void {
    const rest = this.lastTold + restMilliseconds - performance.now();
    this.settling ??= setTimeout(
      () => {
        this.settling = undefined;
        this.lastTold = performance.now();
        this.onChange();
      },
      Math.max(commitMilliseconds, rest),
    );
  }

  /** Which files there are, and when they were written; empty where there is no such folder. */
  private async readState(): Promise<string> {
    const folder = await openSessionFolder(this.home);
    try {
      await this.follow(folder);
      const states = await Promise.all(
        watchedFiles.map((name) =>
          lstat(entryPath(folder, name), { bigint: true }).then(
            ({ ino, size, mtimeNs }) => `${ino} ${size} ${mtimeNs}`,
            () => 'none',
          ),
        ),
      );
      return states.join();
    } finally {
      await folder.close();
    }
  }

  /** Machines have a limit of watches that other programs can use up (inotify(7)): then the polls remain. */
  private async follow(folder: FileHandle): Promise<void> {
    const { ino } = await folder.stat({ bigint: true });
    if (this.isDisposed || this.watcher?.inode === ino) return;
    this.watcher?.fileWatcher.close();
    this.watcher = undefined;
    try {
      const fileWatcher = watch(`/proc/self/fd/${folder.fd}`, { persistent: false }, (_event, name) => {
        if (name === null || watchedFiles.includes(name)) this.changed();
      });
      fileWatcher.on('error', () => fileWatcher.close());
      this.watcher = { fileWatcher, inode: ino };
    } catch {
      // see above
    }
  }
}
