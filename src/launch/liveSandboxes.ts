import { watch } from 'node:fs';
import { isAlive, readIndexEntries, sweepDeadEntries, type SandboxIndexEntry } from '../host/sandboxIndex';
import type { Unsubscribe } from './connection';
import { makeIndexDirectory } from './prepare';

/** The sandboxes of this host, started from any window, as the index in extension storage knows them. */
export class LiveSandboxes {
  private made: Promise<string> | undefined;

  /** @param storageDirectory of the extension; made at the first use when it is missing */
  constructor(private readonly storageDirectory: string) {}

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

  /** Calls `listener` after sandboxes came or went, several changes at a time. Errors of the watch end it. */
  async watch(listener: () => void): Promise<Unsubscribe> {
    let timer: NodeJS.Timeout | undefined;
    const watcher = watch(await this.directory(), { persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(listener, settlingMilliseconds);
    });
    watcher.on('error', () => watcher.close());
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
