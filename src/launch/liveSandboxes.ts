import { watch, type FSWatcher } from 'node:fs';
import { sweepDeadEntries, type Abandoned } from '../host/abandoned';
import { isConnectable, isOfThisBoot, readIndexEntries, type SandboxIndexEntry } from '../host/sandboxIndex';
import type { SandboxEnd } from '../supervisor/protocol';
import type { Unsubscribe } from './connection';
import { endSandbox } from './endSandbox';
import { makeIndexDirectory } from './storageFolders';

/** The sandboxes of this host, started from any window, as the index in extension storage knows them. */
export class LiveSandboxes {
  private made: Promise<string> | undefined;

  /**
   * @param storageDirectory of the extension; made at the first use when it is missing
   * @param onAbandoned is told of each sandbox that a sweep had to end or clear away
   * @param watchFolder fs.watch() unless a test says otherwise
   */
  constructor(
    private readonly storageDirectory: string,
    private readonly onAbandoned: (abandoned: Abandoned) => void = () => undefined,
    private readonly watchFolder: typeof watch = watch,
  ) {}

  /** Those that windows can connect to; what supervisors that live no more have left is swept away. */
  async find(): Promise<readonly SandboxIndexEntry[]> {
    await this.sweep();
    const entries = await readIndexEntries(await this.directory());
    const live = await Promise.all(entries.map(isConnectable));
    return entries.filter((_, index) => live[index]);
  }

  /** Those of this host that were entered since it was started, whether or not their supervisor lives. */
  async entered(): Promise<readonly SandboxIndexEntry[]> {
    const entries = await readIndexEntries(await this.directory());
    const here = await Promise.all(entries.map(isOfThisBoot));
    return entries.filter((_, index) => here[index]);
  }

  /**
   * Ends a sandbox, also one whose supervisor does not answer.
   * @returns how it ended; undefined for one that is not entered any more
   * @throws UserError when something of it is left
   */
  async end(id: string): Promise<SandboxEnd | undefined> {
    const entry = (await this.entered()).find((candidate) => candidate.id === id);
    return entry && endSandbox(await this.directory(), entry);
  }

  /** Ends and clears away what killed supervisors left. */
  async sweep(): Promise<void> {
    (await sweepDeadEntries(await this.directory())).forEach(this.onAbandoned);
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
