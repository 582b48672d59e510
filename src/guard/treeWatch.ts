import { type FSWatcher, watch } from 'node:fs';
import { codeOf } from '../host/safeFiles';
import { folderOf } from './lookAtOne';

/** What happened in one folder: the names that were told, or so many that all of it is to be looked at. */
export interface FolderNews {
  /** below the workspace */
  readonly path: string;
  readonly names: readonly string[] | 'all';
}

export interface TreeWatchOptions {
  /** looks at what is new; nothing more is told before it is done. Must not reject: nobody waits for it but the watch */
  readonly onNews: (news: readonly FolderNews[]) => Promise<void>;
  /** called once, when not everything can be watched: the kernel's limit is used up, or the tree is too large */
  readonly onLimit: () => void;
  /** called when so much happened at once that the kernel may have forgotten some */
  readonly onFlood: () => void;
  /** fs.watch() unless a test says otherwise */
  readonly watchFolder?: typeof watch;
}

/** More folders than a project has; each costs the kernel about 1 KB. */
const mostWatches = 20_000;
/** an editor or a build does several things at once */
const settlingMilliseconds = 100;
/** beyond so many names in a folder it is cheaper to list it */
const mostNames = 500;
/** inotify keeps 16,384 events that nobody has read yet (inotify(7), max_queued_events) */
const floodEvents = 8000;

/** Is told by the kernel what changes in a tree: one watch for each folder, so that nothing is done while nothing happens. */
export class TreeWatch {
  private readonly watchers = new Map<string, FSWatcher>();
  /** by each folder that is watched, and those above it, the folders in it: an agent can remove 20,000 at once */
  private readonly below = new Map<string, Set<string>>();
  private pending = new Map<string, Set<string> | 'all'>();
  private events = 0;
  private timer: NodeJS.Timeout | undefined;
  private isWorking = false;
  private hasLimit = false;
  private isClosed = false;

  constructor(private readonly options: TreeWatchOptions) {}

  /** How many folders are watched. */
  get size(): number {
    return this.watchers.size;
  }

  /** Whether a folder is watched. */
  has(path: string): boolean {
    return this.watchers.has(path);
  }

  /**
   * Watches a folder from now on.
   * @param place where it can be reached now; the kernel watches what is there, whatever becomes of its name
   */
  add(path: string, place: string): void {
    if (this.isClosed) return;
    this.remove(path);
    if (this.watchers.size >= mostWatches) {
      this.limit();
      return;
    }
    try {
      const watcher = (this.options.watchFolder ?? watch)(place, { persistent: false }, (_type, name) =>
        this.told(path, name),
      );
      watcher.on('error', () => this.remove(path));
      this.watchers.set(path, watcher);
      this.enter(path);
    } catch (error) {
      // one that may not be read is told by the look at it (scanTree's `closed`), and by the folder that it is in
      if (['ENOSPC', 'EMFILE', 'ENFILE'].includes(codeOf(error) ?? '')) this.limit();
    }
  }

  /** Forgets a folder and all below it. */
  forget(path: string): void {
    this.remove(path);
    // where the top is gone what is open of it can be written all the same
    if (path === '') return;
    for (const known of this.below.get(path) ?? []) this.forget(known);
    this.below.delete(path);
    this.below.get(folderOf(path))?.delete(path);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const path of [...this.watchers.keys()]) this.remove(path);
  }

  private enter(path: string): void {
    for (let each = path; each !== ''; each = folderOf(each)) {
      const above = folderOf(each);
      const known = this.below.get(above) ?? new Set();
      if (known.has(each)) return;
      this.below.set(above, known.add(each));
    }
  }

  private remove(path: string): void {
    this.watchers.get(path)?.close();
    this.watchers.delete(path);
  }

  private limit(): void {
    if (!this.hasLimit) {
      this.hasLimit = true;
      this.options.onLimit();
    }
  }

  private told(path: string, name: string | null): void {
    const names = this.pending.get(path) ?? new Set();
    this.events += 1;
    if (name === null || (names !== 'all' && names.size >= mostNames)) {
      this.pending.set(path, 'all');
    } else if (names !== 'all') {
      this.pending.set(path, names.add(name));
    }
    this.workSoon(settlingMilliseconds);
  }

  private workSoon(milliseconds: number): void {
    if (!this.isWorking) this.timer ??= setTimeout(() => void this.work(), milliseconds);
  }

  private async work(): Promise<void> {
    const since = performance.now();
    const { pending, events } = this;
    this.timer = undefined;
    this.isWorking = true;
    this.pending = new Map();
    this.events = 0;
    const news = [...pending].map(([path, names]) => ({ path, names: names === 'all' ? names : [...names] }));
    try {
      await this.options.onNews(news);
    } finally {
      this.isWorking = false;
      // after the news: they say where something happens
      if (events > floodEvents && !this.isClosed) this.options.onFlood();
      // half of the time at most, whatever happens in the folder
      if (this.pending.size > 0 && !this.isClosed) {
        this.workSoon(Math.max(settlingMilliseconds, performance.now() - since));
      }
    }
  }
}
