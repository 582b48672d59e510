import { entryPath } from '../host/safeFiles';
import { isSameOrInside } from '../sandbox/paths';
import type { BoundPath } from './boundPaths';
import { examine, type GuardedFolder, isOrdinary } from './examine';
import type { Finding } from './finding';
import { Findings } from './findings';
import type { GuardStore } from './guardStore';
import { listOpenFolder } from './listFolder';
import { contentAt, markAt, statsAt } from './lookAtOne';
import type { Mark } from './mark';
import { openBelow } from './openBelow';
import { listQuarantined, putBack, type Quarantined, takeAway } from './quarantine';
import { isLookedInto } from './rules';
import { scanTree, type SeenEntry } from './scanTree';
import { type FolderNews, TreeWatch, type TreeWatchOptions } from './treeWatch';

export interface WorkspaceGuardOptions extends Pick<TreeWatchOptions, 'watchFolder'> {
  readonly folder: GuardedFolder;
  readonly store: GuardStore;
  /** by which bind no sandbox can write there, both below the workspace; undefined: one can */
  readonly boundBy: (path: string) => BoundPath | undefined;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/** How a look takes what it sees: as known, or to be compared with what is known. */
type Look = 'learn' | 'compare';

/** Where not everything can be watched, all is looked at again and again, for a twentieth of the time at most. */
const slowMilliseconds = 10_000;
const slowShare = 20;
const replacedMilliseconds = 60_000;
/** beyond so many files of which most are executable, that is what the file system says of every file */
const fewFiles = 20;

/**
 * Keeps an eye on what can act on the host in one workspace, while sandboxes run there: it knows what was there before
 * the first of them started, and everything new or changed is a finding until it is answered.
 */
export class WorkspaceGuard {
  private findings = new Findings(new Map(), []);
  private watch: TreeWatch | undefined;
  private readonly folders = new Map<string, string>();
  private readonly stop = new AbortController();
  private queue: Promise<unknown> = Promise.resolve();
  private isLoaded = false;
  private isUnsettled = false;
  private ignoresExecutables = false;
  private slow: NodeJS.Timeout | undefined;
  private isPartial = false;
  /** by their path, when something else was seen in the place of what was there before */
  private readonly replaced = new Map<string, number>();
  /** something of the list of findings has changed in this piece of work */
  private isChanged = false;
  /** seen where no sandbox could write when that was verified last */
  private readonly bound = new Map<string, { readonly now: Mark | undefined; readonly time: number }>();
  /** what need not be read again while all is learnt anew */
  private earlier: ReadonlyMap<string, Mark> = new Map();
  private files = 0;
  private executables = 0;

  constructor(private readonly options: WorkspaceGuardOptions) {}

  /** The findings that wait for an answer, the worst first. */
  list(): Finding[] {
    return this.findings.list();
  }

  /** How many more there are than are listed. */
  get more(): number {
    return this.findings.more;
  }

  /** Whether changes are watched for now. */
  get isWatching(): boolean {
    return this.watch !== undefined;
  }

  /** Whether not all of the folder can be watched, so that something may be found late, or not at all. */
  get isIncomplete(): boolean {
    return this.isPartial;
  }

  /** What the user knew of something before it became a finding. */
  known(path: string): Mark | undefined {
    return this.findings.marks.get(path);
  }

  get store(): GuardStore {
    return this.options.store;
  }

  get workspace(): string {
    return this.options.folder.workspace;
  }

  /** Reads what was found before; what a sandbox did since, while nobody looked, becomes a finding. */
  restore(): Promise<void> {
    return this.serially(async () => {
      await this.load();
      if (this.isUnsettled && !this.watch) {
        await this.look('compare');
        await this.save(false);
      }
    });
  }

  /** Watches from now on. The first sandbox starts from what is there now; what is there is known. */
  beforeStart(): Promise<void> {
    return this.serially(async () => {
      await this.load();
      await this.begin(this.isUnsettled ? 'compare' : 'learn');
    });
  }

  /** Watches from now on a workspace in which a sandbox runs already. */
  follow(): Promise<void> {
    return this.serially(async () => {
      await this.load();
      // of a sandbox that nobody saw start nothing can be said but what it does from now on
      await this.begin(this.isUnsettled ? 'compare' : 'learn');
    });
  }

  /** No sandbox runs any more: looks a last time and lets go. */
  settle(): Promise<void> {
    return this.serially(async () => {
      if (this.watch) {
        this.unwatch();
        await this.look('compare');
        this.takeBound();
        await this.save(false);
      }
    });
  }

  /** It was verified again where sandboxes can't write. @param isLess they can write where they could not */
  verified(isLess: boolean): Promise<void> {
    return this.serially(async () => {
      this.takeBound();
      if (isLess && this.watch) await this.look('compare');
    });
  }

  /** Looks at everything again, now. */
  lookAgain(): Promise<void> {
    return this.serially(() => this.look('compare'));
  }

  /** Takes a finding as known. @returns false when it has changed since it was found: then it still stands */
  allow(path: string): Promise<boolean> {
    return this.serially(async () => {
      const found = this.findings.get(path);
      if (!found) return true;
      const now = await markAt(this.options.folder, path);
      if (now && now.content !== found.mark.content && found.isGone !== true) {
        this.note(path, now, 'compare');
        return false;
      }
      this.findings.settle(path, now && (await this.withContent(path, now)));
      if (found.mark.rule === 'repository') await this.scan(path, 'learn');
      this.isChanged = true;
      return true;
    });
  }

  /** Takes a finding out of the workspace, to where it can be put back from. @throws UserError `quarantine.…` */
  takeAway(path: string): Promise<void> {
    return this.serially(async () => {
      const isGone = this.findings.get(path)?.isGone === true;
      if (!isGone) await takeAway(this.store.quarantineDirectory, this.workspace, path);
      this.findings.settle(path, undefined);
      this.isChanged = true;
    });
  }

  /** Puts back what was taken away; it is known from then on. @throws UserError `quarantine.…` */
  putBack(quarantined: Quarantined): Promise<void> {
    return this.serially(async () => {
      const { path } = quarantined;
      await putBack(this.store.quarantineDirectory, quarantined);
      const now = await markAt(this.options.folder, path);
      this.findings.settle(path, now && (await this.withContent(path, now)));
      await this.scan(path, 'learn');
      this.isChanged = true;
    });
  }

  /** What was taken away, the latest first. */
  quarantined(): Promise<Quarantined[]> {
    return listQuarantined(this.store.quarantineDirectory);
  }

  /** Lets go at once; a later window finds out what happened since. */
  dispose(): void {
    this.stop.abort();
    this.unwatch();
  }

  private async load(): Promise<void> {
    if (this.isLoaded) return;
    this.isLoaded = true;
    const state = await this.options.store.read();
    if (state) {
      this.findings = new Findings(new Map(Object.entries(state.marks)), state.findings);
      this.isUnsettled = state.isUnsettled;
      this.ignoresExecutables = state.ignoresExecutables;
      if (state.findings.length > 0) this.options.onChange();
    }
  }

  private async begin(look: Look): Promise<void> {
    if (this.watch) return;
    this.watch = new TreeWatch({
      onNews: (news) => this.serially(() => this.hear(news)).catch((error: unknown) => this.tell(error)),
      onLimit: () => this.lookSlowly(),
      onFlood: () => void this.lookAgain().catch((error: unknown) => this.tell(error)),
      ...(this.options.watchFolder ? { watchFolder: this.options.watchFolder } : {}),
    });
    await this.look(look);
    await this.save(true);
  }

  private unwatch(): void {
    clearTimeout(this.slow);
    this.slow = undefined;
    this.watch?.close();
    this.watch = undefined;
    this.folders.clear();
    this.replaced.clear();
  }

  private async look(look: Look): Promise<void> {
    this.files = this.executables = 0;
    if (look === 'learn') {
      this.earlier = new Map(this.findings.marks);
      for (const path of [...this.findings.marks.keys()]) this.findings.learn(path, undefined);
    }
    const seen = new Set<string>();
    const isComplete = await this.scan('', look, seen);
    this.isPartial = !isComplete || this.slow !== undefined;
    if (look === 'learn') {
      this.earlier = new Map();
      this.ignoresExecutables = this.files > fewFiles && this.executables > this.files / 2;
      const used = [...this.findings.marks.values()].flatMap(({ kept }) => kept ?? []);
      await this.options.store.prune(new Set(used));
    } else {
      if (isComplete) this.missed('', seen);
    }
  }

  private scan(path: string, look: Look, seen?: Set<string>): Promise<boolean> {
    return scanTree(
      this.workspace,
      path,
      {
        enter: (folder, place) => {
          if (this.watch?.has(folder) === false) this.watch.add(folder, place);
        },
        see: (entry) => {
          seen?.add(entry.path);
          return this.see(entry, look);
        },
        isLookedInto: (folder) => this.isEntered(folder),
      },
      this.stop.signal,
    );
  }

  private isEntered(path: string): boolean {
    const { home } = this.options.folder;
    return home === undefined || !path.startsWith(`${home}/`);
  }

  private see(entry: SeenEntry, look: Look): Promise<void> | undefined {
    const { path, stats } = entry;
    const inode = `${stats.dev} ${stats.ino}`;
    const before = this.folders.get(path) ?? this.findings.latest(path)?.identity;
    const isReplaced = before !== undefined && before !== inode && !before.startsWith(`${inode} `);
    if (isReplaced) this.replaced.set(path, Date.now());
    if (stats.isDirectory()) {
      if (this.folders.has(path) && this.folders.get(path) !== inode) this.watch?.forget(path);
      this.folders.set(path, inode);
    } else if (stats.isFile()) {
      this.files += 1;
      if ((stats.mode & 0o100n) !== 0n) this.executables += 1;
    }
    if (isOrdinary(path, stats, this.options.folder) && this.findings.latest(path) === undefined) {
      return undefined;
    }
    return this.judge(entry, look);
  }

  private async judge({ path, place, stats }: SeenEntry, look: Look): Promise<void> {
    const known = this.findings.latest(path) ?? this.earlier.get(path);
    const examined = await examine(path, place, stats, this.options.folder, known);
    const isPlain = examined?.mark.rule === 'executable' && this.ignoresExecutables;
    const isBound = this.isBound(path);
    const mayKeep = look === 'learn' || isBound;
    const kept = mayKeep && examined?.content ? await this.store.keep(examined.content) : undefined;
    const now =
      isPlain || !examined ? undefined : { ...examined.mark, ...(kept === undefined ? {} : { kept }) };
    if (look === 'compare' && isBound) {
      this.bound.set(path, { now, time: Date.now() });
    } else {
      this.note(path, now, look);
    }
  }

  /** Whether no sandbox can write there: what took another thing's place after that was verified has no bind. */
  private isBound(path: string): boolean {
    const bound = this.options.boundBy(path);
    const isReplaced = ([place, time]: readonly [string, number]): boolean =>
      bound !== undefined && time >= bound.time && isSameOrInside(`/${place}`, `/${bound.path}`);
    return bound !== undefined && ![...this.replaced].some(isReplaced);
  }

  /** Takes what was changed where no sandbox can write, if that was verified after the change: a bind can be lost. */
  private takeBound(): void {
    // far more than the age of a verdict
    const old = Date.now() - replacedMilliseconds;
    for (const [path, time] of this.replaced) if (time < old) this.replaced.delete(path);
    for (const [path, { now, time }] of this.bound) {
      const bound = this.options.boundBy(path);
      if (bound === undefined || bound.time > time) {
        this.bound.delete(path);
        this.note(path, now, bound === undefined ? 'compare' : 'learn');
      }
    }
  }

  private note(path: string, now: Mark | undefined, look: Look): void {
    if (look === 'learn') this.findings.learn(path, now);
    else if (this.findings.compare(path, now, Date.now())) this.isChanged = true;
  }

  /** Looks at what the kernel has told of. */
  private async hear(news: readonly FolderNews[]): Promise<void> {
    for (const { path, names } of news) {
      const folder = await openBelow(this.workspace, path).catch(() => undefined);
      if (!folder) {
        this.watch?.forget(path);
        continue;
      }
      try {
        const present =
          names === 'all'
            ? (await listOpenFolder(folder, Number.MAX_SAFE_INTEGER)).entries.map(({ name }) => name)
            : names;
        for (const name of present) {
          await this.lookAt(path === '' ? name : `${path}/${name}`, entryPath(folder, name));
        }
      } finally {
        await folder.close();
      }
    }
  }

  private async lookAt(path: string, place: string): Promise<void> {
    const stats = await statsAt(place);
    if (!stats) {
      this.watch?.forget(path);
      if (this.folders.delete(path)) this.replaced.set(path, Date.now());
      this.isChanged = this.findings.gone(path) || this.isChanged;
      return;
    }
    const isSame = this.folders.get(path) === `${stats.dev} ${stats.ino}`;
    const isKnownFolder = isSame && this.watch?.has(path) === true;
    await this.see({ path, place, stats }, 'compare');
    const isEntered = stats.isDirectory() && isLookedInto(path) && this.isEntered(path);
    if (isKnownFolder) return;
    const seen = new Set<string>();
    if (isEntered) await this.scan(path, 'compare', seen);
    this.missed(`${path}/`, seen);
  }

  /** Findings whose path begins so were not seen: they are gone. */
  private missed(beginning: string, seen: ReadonlySet<string>): void {
    for (const { path } of this.list().filter(
      (each) => each.path.startsWith(beginning) && !seen.has(each.path),
    )) {
      this.isChanged = this.findings.gone(path) || this.isChanged;
    }
  }

  private async withContent(path: string, now: Mark): Promise<Mark> {
    const content = await contentAt(this.workspace, path);
    const kept = content && (await this.store.keep(content));
    return kept === undefined ? now : { ...now, kept };
  }

  private lookSlowly(): void {
    this.isPartial = true;
    const again = (milliseconds: number): void => {
      this.slow = setTimeout(() => {
        const since = Date.now();
        const look = this.lookAgain().catch((error: unknown) => this.tell(error));
        void look.then(() => {
          if (this.watch) again(Math.max(slowMilliseconds, slowShare * (Date.now() - since)));
        });
      }, milliseconds);
    };
    if (!this.slow) again(slowMilliseconds);
  }

  private async save(isUnsettled: boolean): Promise<void> {
    this.isUnsettled = isUnsettled;
    const { ignoresExecutables, workspace, findings } = this;
    const marks = Object.fromEntries(findings.marks);
    await this.store.write({ workspace, marks, findings: findings.list(), isUnsettled, ignoresExecutables });
  }

  /** One thing after the other; what goes wrong stops nothing that follows. */
  private serially<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.queue.then(async () => {
      const done = await work();
      if (this.isChanged) {
        this.isChanged = false;
        await this.save(this.isUnsettled);
        this.options.onChange();
      }
      return done;
    });
    this.queue = result.catch(() => undefined);
    return result;
  }

  private tell(error: unknown): void {
    if (!this.stop.signal.aborted) this.options.onError(error);
  }
}
