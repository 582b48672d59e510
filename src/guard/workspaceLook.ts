import { entryPath } from '../host/safeFiles';
import { Answers } from './answers';
import { BoundChanges } from './boundChanges';
import type { BoundPath } from './boundPaths';
import { isClosed } from '../host/closedFolder';
import { examine, type GuardedFolder, isOrdinary } from './examine';
import { Findings } from './findings';
import type { GuardState } from './guardState';
import type { GuardStore } from './guardStore';
import { GitNames } from './gitNames';
import { hearNews } from './hearNews';
import { Learning } from './learning';
import { folderOf, statsAt, withEntry } from './lookAtOne';
import type { Mark } from './mark';
import { isLookedInto } from './rules';
import { scanTree, type SeenEntry, statsNow } from './scanTree';
import type { FolderNews, TreeWatch } from './treeWatch';

export interface WorkspaceLookOptions {
  readonly folder: GuardedFolder;
  readonly store: GuardStore;
  /** by which bind no sandbox can write there, both below the workspace; undefined: one can */
  readonly boundBy: (path: string) => BoundPath | undefined;
  readonly signal: AbortSignal;
  /** how much is learnt; as {@link Learning} has it unless a test says otherwise */
  readonly mostKnownBytes?: number;
}

/** How a look takes what it sees: as known, or to be compared with what is known. */
export type Look = 'learn' | 'compare';

/** Looks at a workspace, all of it or a part, and knows what it has seen. Does one thing at a time. */
export class WorkspaceLook {
  readonly findings = new Findings();
  readonly answers: Answers;
  /** what tells of changes, while somebody waits for them */
  watch: TreeWatch | undefined;
  /** the list of findings has changed since this was made false */
  isChanged = false;
  /** something could not be looked at, since all was looked at the last time */
  isPartial = false;
  /** device and inode of the folders, by their path */
  private readonly folders = new Map<string, string>();
  private readonly bound: BoundChanges;
  private readonly folder: GuardedFolder;
  private readonly git: GitNames;
  /** folders that hold more than is looked at */
  private readonly crowded = new Set<string>();
  /** something has changed that may make git's configuration name something else */
  private isGitChanged = false;
  /** while all is learnt anew */
  private learning: Learning | undefined;
  private ignoresExecutables = false;

  constructor(private readonly options: WorkspaceLookOptions) {
    this.bound = new BoundChanges(options.boundBy);
    this.git = new GitNames(options.folder.workspace);
    this.folder = {
      ...options.folder,
      namedByGit: (path) => this.git.ruleOf(path),
      isCrowded: (path) => this.crowded.has(path),
    };
    this.answers = this.makeAnswers();
  }

  /** Goes on from what was known. */
  load({ marks, findings, unkept, ignoresExecutables }: GuardState): void {
    this.findings.load(marks, findings, unkept);
    this.ignoresExecutables = ignoresExecutables;
  }

  private makeAnswers(): Answers {
    const { folder, findings } = this;
    const { store, signal } = this.options;
    return new Answers({
      ...{ folder, findings, store, signal },
      compare: (path, now) => this.note(path, now, 'compare'),
      compareAnew: async (path) => {
        this.watch?.forget(path);
        await withEntry(folder.workspace, path, (above, name) => this.at(path, entryPath(above, name)));
      },
      learnRepository: async (path) => {
        await this.scan(path, 'learn');
        // what it names was not shown
        await this.lookAtNamed('compare');
      },
      onChange: () => {
        this.isChanged = true;
      },
    });
  }

  /** What is known, to be kept. */
  state(): Pick<GuardState, 'marks' | 'findings' | 'unkept' | 'ignoresExecutables'> {
    const { findings, ignoresExecutables } = this;
    const { marks, unkept } = findings;
    return { marks: new Map(marks), findings: findings.all(), unkept, ignoresExecutables };
  }

  /** Looks at everything. @param isHurried others wait for it @returns whether it came to the end */
  async all(look: Look, isHurried = false): Promise<boolean> {
    this.isPartial = false;
    // what was named the last time is named while the rest is looked at
    for (const path of this.findings.marks.keys()) this.git.seeBelow(path);
    await this.git.renew(this.isTrusted);
    const isComplete = await (look === 'learn' ? this.learnAll() : this.compareAll(isHurried));
    await this.lookAtNamed(look);
    this.isPartial ||= !isComplete || this.git.isPartial;
    return isComplete;
  }

  /** Looks at what git's configuration names by now and did not before. */
  private async lookAtNamed(look: Look): Promise<void> {
    this.isGitChanged = false;
    for (const path of await this.git.renew(this.isTrusted)) {
      await withEntry(this.folder.workspace, path, async (above, name) => {
        const place = entryPath(above, name);
        const parent = folderOf(path);
        // also where nobody looks otherwise
        if (this.watch?.has(parent) === false) this.watch.add(parent, `/proc/self/fd/${above.fd}`);
        const stats = await statsAt(place);
        if (!stats) return;
        await this.see({ path, place, stats }, look);
        if (stats.isDirectory()) await this.scan(path, look);
      });
    }
  }

  /** What a new repository names is not looked at: it is a finding as a whole. */
  private readonly isTrusted = (repository: string): boolean => this.findings.get(repository) === undefined;

  /** It was verified again where sandboxes can't write. */
  takeBound(): void {
    this.bound.settle((path, now, isUsers) => this.note(path, now, isUsers ? 'learn' : 'compare'));
  }

  /** Nothing tells of changes any more. */
  forgetFolders(): void {
    this.folders.clear();
    this.bound.forget();
  }

  /** Looks at what the kernel has told of. */
  async hear(news: readonly FolderNews[]): Promise<void> {
    const hearing = {
      ...{ workspace: this.folder.workspace, signal: this.options.signal },
      gone: (path: string): void => this.watch?.forget(path),
      listed: (path: string, isCrowded: boolean): void => {
        this.listed(path, isCrowded, 'compare');
        this.isPartial ||= isCrowded;
      },
      at: (path: string, place: string): Promise<void> => this.at(path, place),
    };
    const failure = await hearNews(news, hearing).catch((error: unknown) => ({ error }));
    if (failure) this.isPartial = true;
    // whatever went wrong with one entry
    if (this.isGitChanged && !hearing.signal.aborted) await this.lookAtNamed('compare');
    this.isPartial ||= this.git.isPartial;
    if (failure) throw failure.error;
  }

  private async learnAll(): Promise<boolean> {
    const { findings } = this;
    const learning = new Learning(new Map(findings.marks), this.options.mostKnownBytes);
    for (const path of learning.earlier.keys()) findings.learn(path, undefined);
    this.learning = learning;
    const isComplete = await this.scan('', 'learn').finally(() => (this.learning = undefined));
    this.ignoresExecutables = learning.ignoresExecutables;
    const used = [...findings.marks.values()].flatMap(({ kept }) => kept ?? []);
    await this.options.store.keepAll(learning.contents, new Set(used));
    return isComplete;
  }

  private async compareAll(isHurried: boolean): Promise<boolean> {
    const seen = new Set<string>();
    const { unkept } = this.findings;
    this.findings.countAnew();
    let isComplete = false;
    try {
      isComplete = await this.scan('', 'compare', seen, isHurried);
    } finally {
      // perhaps it has not come to where they are
      if (!isComplete) this.findings.countAnew(Math.max(unkept, this.findings.unkept));
    }
    if (isComplete) this.missed('', seen);
    return isComplete;
  }

  private scan(path: string, look: Look, seen?: Set<string>, isHurried = false): Promise<boolean> {
    const { folder } = this;
    const { signal } = this.options;
    const visitor = {
      enter: (below: string, place: string): void => {
        if (this.watch?.has(below) === false) this.watch.add(below, place);
      },
      // what is in it is looked at again when anything happens to it
      closed: (below: string): void => this.watch?.forget(below),
      listed: (below: string, isCrowded: boolean): void => this.listed(below, isCrowded, look),
      see: (entry: SeenEntry): Promise<void> | undefined => {
        seen?.add(entry.path);
        return this.see(entry, look);
      },
      isLookedInto: (below: string): boolean => this.isEntered(below),
    };
    return scanTree(folder.workspace, path, visitor, { signal, isHurried });
  }

  /** A folder was listed: that it holds too much is found, and that it does no more. */
  private listed(path: string, isCrowded: boolean, look: Look): void {
    if (this.crowded.has(path) === isCrowded) return;
    if (isCrowded) this.crowded.add(path);
    else this.crowded.delete(path);
    // the top has no name
    if (path === '') return;
    const latest = this.findings.latest(path);
    const identity = this.folders.get(path) ?? '';
    const mark = { rule: 'crowded', kind: 'folder', identity, content: 'crowded' } as const;
    if (isCrowded || latest?.rule === 'crowded') this.note(path, isCrowded ? mark : undefined, look);
  }

  private isEntered(path: string): boolean {
    const { home } = this.folder;
    return isLookedInto(path) && (home === undefined || !path.startsWith(`${home}/`));
  }

  private async at(path: string, place: string): Promise<void> {
    if (this.git.isSource(path)) this.isGitChanged = true;
    const stats = statsNow(place);
    if (!stats) {
      this.git.forget(path);
      this.watch?.forget(path);
      const wasFolder = this.folders.delete(path);
      if (wasFolder) this.bound.noteReplaced(path);
      this.isChanged = this.findings.gone(path, wasFolder) || this.isChanged;
      return;
    }
    const isSame = this.folders.get(path) === `${stats.dev} ${stats.ino}`;
    await this.see({ path, place, stats }, 'compare');
    if (isSame && this.watch?.has(path) === true) return;
    // nothing was ever below it
    if (!stats.isDirectory() && !this.folders.delete(path)) return;
    const seen = new Set<string>();
    const isComplete =
      !stats.isDirectory() || !this.isEntered(path) || (await this.scan(path, 'compare', seen, true));
    if (isComplete) this.missed(`${path}/`, seen);
    else this.isPartial = true;
  }

  /** Findings whose path begins so were not seen: they are gone. */
  private missed(beginning: string, seen: ReadonlySet<string>): void {
    for (const { path } of this.findings.all()) {
      if (path.startsWith(beginning) && !seen.has(path)) {
        this.isChanged = this.findings.gone(path) || this.isChanged;
      }
    }
  }

  /** @returns undefined when there is nothing to wait for */
  private see(entry: SeenEntry, look: Look): Promise<void> | undefined {
    const { path, stats } = entry;
    this.git.see(path);
    const inode = `${stats.dev} ${stats.ino}`;
    const before = this.folders.get(path) ?? this.findings.latest(path)?.identity;
    if (before !== undefined && before !== inode && !before.startsWith(`${inode} `)) {
      this.bound.noteReplaced(path);
      if (this.folders.has(path)) this.watch?.forget(path);
    }
    if (stats.isDirectory()) {
      this.folders.set(path, inode);
      if (isClosed(stats) && this.isEntered(path)) this.isPartial = true;
    }
    this.learning?.see(stats);
    const isKnown = this.findings.latest(path) !== undefined;
    return isOrdinary(path, stats, this.folder) && !isKnown ? undefined : this.judge(entry, look);
  }

  private async judge({ path, place, stats }: SeenEntry, look: Look): Promise<void> {
    const known = this.findings.latest(path) ?? this.learning?.earlier.get(path);
    const examined = await examine(path, place, stats, this.folder, known);
    const isBound = this.bound.isBound(path);
    const mayKeep = look === 'learn' || isBound;
    const content = mayKeep ? examined?.content : undefined;
    const learning = look === 'learn' ? this.learning : undefined;
    // what can't be kept is not shown beside what it becomes: a full disk must stop no look
    const keep = (one: Buffer): Promise<string | undefined> =>
      this.options.store.keep(one).catch(() => undefined);
    const kept = content && (learning ? learning.add(content) : await keep(content));
    const isPlain = examined?.mark.rule === 'executable' && this.ignoresExecutables;
    const now =
      isPlain || !examined ? undefined : { ...examined.mark, ...(kept === undefined ? {} : { kept }) };
    if (look === 'compare' && isBound) this.bound.wait(path, now);
    else this.note(path, now, look);
  }

  private note(path: string, now: Mark | undefined, look: Look): void {
    if (look === 'compare') {
      if (this.findings.compare(path, now, Date.now())) this.isChanged = true;
    } else if (now && this.learning?.takeRoomFor(path) === false) {
      this.isPartial = true;
    } else {
      this.findings.learn(path, now);
    }
  }
}
