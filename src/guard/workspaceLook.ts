import { entryPath } from '../host/safeFiles';
import { Answers } from './answers';
import { type GuardedFolder, isEntered } from './examine';
import { Findings } from './findings';
import type { GuardState } from './guardState';
import { GitNames } from './gitNames';
import { hearNews } from './hearNews';
import { folderOf, statsAt, withEntry } from './lookAtOne';
import { scanTree, type SeenEntry, statsNow } from './scanTree';
import { type Look, Sightings, type SightingsOptions } from './sightings';
import type { FolderNews, TreeWatch } from './treeWatch';

export interface WorkspaceLookOptions extends Pick<
  SightingsOptions,
  'folder' | 'store' | 'boundBy' | 'mostKnownBytes'
> {
  readonly signal: AbortSignal;
}

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
  private readonly folder: GuardedFolder;
  private readonly git: GitNames;
  private readonly sightings: Sightings;
  /** something has changed that may make git's configuration name something else */
  private isGitChanged = false;

  constructor(private readonly options: WorkspaceLookOptions) {
    this.git = new GitNames(options.folder.workspace);
    this.sightings = this.makeSightings();
    this.folder = this.sightings.folder;
    this.answers = this.makeAnswers();
  }

  /** Goes on from what was known. */
  load(state: GuardState): void {
    this.sightings.load(state);
  }

  private makeSightings(): Sightings {
    const { options, findings } = this;
    return new Sightings({
      ...{ ...options, findings },
      folder: { ...options.folder, namedByGit: (path) => this.git.ruleOf(path) },
      onReplaced: (path) => this.watch?.forget(path),
      onChange: () => {
        this.isChanged = true;
      },
      onPartial: () => {
        this.isPartial = true;
      },
    });
  }

  private makeAnswers(): Answers {
    const { folder, findings } = this;
    const { store, signal } = this.options;
    return new Answers({
      ...{ folder, findings, store, signal },
      compare: (path, now) => this.sightings.note(path, now, 'compare'),
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
  state(): ReturnType<Sightings['state']> {
    return this.sightings.state();
  }

  /** Looks at everything. @param isHurried others wait for it @returns whether it came to the end */
  async all(look: Look, isHurried = false): Promise<boolean> {
    this.isPartial = false;
    // what was named the last time is named while the rest is looked at
    for (const path of this.findings.marks.keys()) this.git.seeBelow(path);
    await this.git.renew(this.isTrusted);
    const isComplete = await (look === 'learn'
      ? this.sightings.learnAll(() => this.scan('', 'learn'))
      : this.sightings.compareAll((seen) => this.scan('', 'compare', seen, isHurried)));
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
    this.sightings.takeBound();
  }

  /** Nothing tells of changes any more. */
  forgetFolders(): void {
    this.sightings.forgetFolders();
  }

  /** Looks at what the kernel has told of. */
  async hear(news: readonly FolderNews[]): Promise<void> {
    const hearing = {
      ...{ workspace: this.folder.workspace, signal: this.options.signal },
      gone: (path: string): void => this.watch?.forget(path),
      listed: (path: string, isCrowded: boolean): void => {
        this.sightings.listed(path, isCrowded, 'compare');
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

  private scan(path: string, look: Look, seen?: Set<string>, isHurried = false): Promise<boolean> {
    const { folder } = this;
    const { signal } = this.options;
    const visitor = {
      enter: (below: string, place: string): void => {
        if (this.watch?.has(below) === false) this.watch.add(below, place);
      },
      // what is in it is looked at again when anything happens to it
      closed: (below: string): void => this.watch?.forget(below),
      listed: (below: string, isCrowded: boolean): void => this.sightings.listed(below, isCrowded, look),
      see: (entry: SeenEntry): Promise<void> | undefined => {
        seen?.add(entry.path);
        return this.see(entry, look);
      },
      isLookedInto: (below: string): boolean => isEntered(below, folder),
    };
    return scanTree(folder.workspace, path, visitor, { signal, isHurried });
  }

  private async at(path: string, place: string): Promise<void> {
    if (this.git.isSource(path)) this.isGitChanged = true;
    const stats = statsNow(place);
    if (!stats) {
      this.git.forget(path);
      this.watch?.forget(path);
      this.sightings.gone(path);
      return;
    }
    const isSame = this.sightings.isSameFolder(path, stats);
    await this.see({ path, place, stats }, 'compare');
    if (isSame && this.watch?.has(path) === true) return;
    // nothing was ever below it
    if (!stats.isDirectory() && !this.sightings.forgetFolder(path)) return;
    const seen = new Set<string>();
    const isComplete =
      !stats.isDirectory() || !isEntered(path, this.folder) || (await this.scan(path, 'compare', seen, true));
    if (isComplete) this.sightings.missed(`${path}/`, seen);
    else this.isPartial = true;
  }

  /** @returns undefined when there is nothing to wait for */
  private see(entry: SeenEntry, look: Look): Promise<void> | undefined {
    this.git.see(entry.path);
    return this.sightings.see(entry, look);
  }
}
