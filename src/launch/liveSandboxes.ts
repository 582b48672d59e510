import { watch, type FSWatcher } from 'node:fs';
import { isAlive, readIndexEntries, sweepDeadEntries, type SandboxIndexEntry } from '../host/sandboxIndex';
import type { Unsubscribe } from './connection';
import { makeIndexDirectory } from './prepare';

/** The sandboxes of this host, started from any window, as the index in extension storage knows them. */
export class LiveSandboxes {
  private made: Promise<string> | undefined;

  /**
   * @param storageDirectory of the extension; made at the first use when it is missing
   * @param watchFolder fs.watch() unless a test says otherwise
   */
  constructor(
    private readonly storageDirectory: string,
    private readonly watchFolder: typeof watch = watch,
  ) {}

  /** Those whose supervisor lives. */
  async find(): Promise<readonly SandboxIndexEntry[]> {
    const entries = await readIndexEntries(await this.directory());
    const alive = await Promise.all(entries.map(isAlive));
    return entries.filter((_, index) => alive[index]);
  }

  /** Clears away what killed supervisors left. */
  async sweep(): Promise<void> {
    await sweepDeadEntries(await this.directory());
  }

  /**
   * Calls `listener` after sandboxes came or went, several changes at a time.
   * @param onFailure called once, at once or later, when the folder can't be watched (any more): machines have a limit
   *   of watches that other programs can use up (inotify(7))
   */
  async watch(listener: () => void, onFailure: (error: unknown) => void): Promise<Unsubscribe> {
    const directory = await this.directory();
    let timer: NodeJS.Timeout | undefined;
    let watcher: FSWatcher;
    try {
      watcher = this.watchFolder(directory, { persistent: false }, () => {
        clearTimeout(timer);
        timer = setTimeout(listener, settlingMilliseconds);
      });
    } catch (error) {
      onFailure(error);
      return () => undefined;
    }
    watcher.once('error', (error) => {
      watcher.close();
      onFailure(error);
    });
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  }

  private directory(): Promise<string> {
    this.made ??= makeIndexDirectory(this.storageDirectory);
    return this.made;
  }
}

/** An entry is written and renamed; the two are one change. */
const settlingMilliseconds = 100;
