import { SerialQueue } from '../host/serialQueue';
import type { Finding } from './finding';
import { GuardMemory } from './guardMemory';
import type { GuardState } from './guardState';
import type { GuardStore } from './guardStore';
import type { Mark } from './mark';
import { listQuarantined, putBack, type Quarantined, takeAway } from './quarantine';
import type { Look } from './sightings';
import { SlowLook } from './slowLook';
import { TreeWatch, type TreeWatchOptions } from './treeWatch';
import { WorkspaceLook, type WorkspaceLookOptions } from './workspaceLook';

export interface WorkspaceGuardOptions
  extends Pick<TreeWatchOptions, 'watchFolder'>, Omit<WorkspaceLookOptions, 'signal'> {
  /** called when the list of findings has changed */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
  /** called when something has happened in the folder, notable or not */
  readonly onNews?: () => void;
}

/**
 * Keeps an eye on what can act on the host in one workspace, while sandboxes run there: it knows what was there before
 * the first of them started, and everything new or changed is a finding until it is answered.
 */
export class WorkspaceGuard {
  private readonly look: WorkspaceLook;
  private readonly stop = new AbortController();
  private readonly queue = new SerialQueue();
  private readonly memory: GuardMemory;
  private readonly slow = new SlowLook(
    () => this.lookAgain().catch((error: unknown) => this.tell(error)),
    () => this.isWatching,
  );
  private isPartial = false;

  constructor(private readonly options: WorkspaceGuardOptions) {
    this.look = new WorkspaceLook({ ...options, signal: this.stop.signal });
    this.memory = new GuardMemory({
      ...{ store: options.store, workspace: options.folder.workspace },
      known: () => this.look.state(),
      take: (state) => this.take(state),
      onError: (error) => this.tell(error),
    });
  }

  /** The findings that wait for an answer, the worst first. */
  list(): readonly Finding[] {
    return this.look.findings.list();
  }

  /** How many more there are than are listed. */
  get more(): number {
    return this.look.findings.more;
  }

  /** Whether changes are watched for now. */
  get isWatching(): boolean {
    return this.look.watch !== undefined;
  }

  /** Whether not all of the folder can be watched, so that something may be found late, or not at all. */
  get isIncomplete(): boolean {
    return this.look.isPartial || this.isPartial;
  }

  /** What the user knew of something before it became a finding. */
  known(path: string): Mark | undefined {
    return this.look.findings.marks.get(path);
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
      if (this.isWatching) return;
      await this.memory.refresh();
      if (this.memory.isUnsettled) {
        await this.lookAtAll('compare');
        await this.memory.save(false);
      }
    });
  }

  /**
   * Watches from now on: before the first sandbox starts, what is there is known. Where one ran already, what it did
   * while nobody looked is compared with what was known then, if anything was.
   */
  begin(): Promise<void> {
    return this.watchFrom('learn');
  }

  /** Watches from now on a sandbox that runs already: whatever is there and not known is a finding. */
  follow(): Promise<void> {
    return this.watchFrom('compare');
  }

  /** No sandbox runs any more: looks a last time and lets go. */
  settle(): Promise<void> {
    return this.serially(async () => {
      if (this.isWatching) {
        this.unwatch();
        await this.lookAtAll('compare');
        this.look.takeBound();
        await this.memory.save(false);
      }
    });
  }

  /** It was verified again where sandboxes can't write. @param isLess they can write where they could not */
  verified(isLess: boolean): Promise<void> {
    return this.serially(async () => {
      this.look.takeBound();
      if (isLess && this.isWatching) await this.lookAtAll('compare', true);
    });
  }

  /** Looks at everything again, now. */
  lookAgain(): Promise<void> {
    return this.serially(() => this.lookAtAll('compare'));
  }

  /** The same, while others wait for what comes next. */
  private lookHurried(): Promise<void> {
    return this.serially(() => this.lookAtAll('compare', true));
  }

  /** Takes a finding as known, as {@link Answers.allow} does. @param shown what the user saw of it */
  allow(path: string, shown?: Mark): Promise<boolean> {
    return this.serially(async () => {
      const isAllowed = await this.look.answers.allow(path, shown);
      await this.findRest();
      return isAllowed;
    });
  }

  /** Takes a finding out of the workspace, to where it can be put back from. @throws UserError `quarantine.…` */
  takeAway(path: string): Promise<void> {
    return this.serially(async () => {
      const isGone = this.look.findings.get(path)?.isGone === true;
      if (!isGone) await takeAway(this.store.quarantineDirectory, this.workspace, path);
      await this.look.answers.takenAway(path);
      await this.findRest();
    });
  }

  /** Puts back what was taken away; that, and nothing else, is known from then on. @throws UserError `quarantine.…` */
  putBack(quarantined: Quarantined): Promise<void> {
    return this.serially(async () => {
      const { path } = quarantined;
      await putBack(this.store.quarantineDirectory, quarantined, (kept) =>
        this.look.answers.putBack(path, kept),
      );
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

  /** No other window writes what is known, or begins, until it is known here. */
  private watchFrom(look: Look): Promise<void> {
    return this.serially(async () => {
      if (this.isWatching) return;
      await this.store.exclusively(async () => {
        await this.memory.refresh();
        this.look.watch = this.makeWatch();
        try {
          // what could not be kept is not taken as known, either
          const mayLearn = !this.memory.isUnsettled && this.look.findings.unkept === 0;
          await this.lookAtAll(mayLearn ? look : 'compare');
          await this.memory.write(true);
        } catch (error) {
          this.unwatch();
          throw error;
        }
      });
    });
  }

  private take(state: GuardState): void {
    const before = this.list();
    this.look.load(state);
    if (before.length > 0 || state.findings.length > 0) this.options.onChange();
  }

  private makeWatch(): TreeWatch {
    const { watchFolder } = this.options;
    return new TreeWatch({
      onNews: (news) => {
        const hear = (): Promise<void> => {
          this.options.onNews?.();
          return this.look.hear(news);
        };
        return this.serially(hear).catch((error: unknown) => this.tell(error));
      },
      onLimit: () => this.lookSlowly(),
      onFlood: () => void this.lookHurried().catch((error: unknown) => this.tell(error)),
      ...(watchFolder ? { watchFolder } : {}),
    });
  }

  private unwatch(): void {
    this.slow.end();
    this.look.watch?.close();
    this.look.watch = undefined;
    this.look.forgetFolders();
  }

  /** When enough is answered, finds again what could not be kept. */
  private async findRest(): Promise<void> {
    if (this.look.findings.hasRoom) await this.lookAtAll('compare');
  }

  private async lookAtAll(look: Look, isHurried = false): Promise<void> {
    await this.look.all(look, isHurried);
    this.isPartial = this.slow.isOn;
  }

  private lookSlowly(): void {
    this.isPartial = true;
    this.slow.begin();
  }

  /** One thing after the other; what goes wrong stops nothing that follows. */
  private serially<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.queue.add(async () => {
      try {
        return await work();
      } finally {
        await this.tellChange();
      }
    });
  }

  /** What was found is shown also when it can't be kept, or when something went wrong afterwards. */
  private async tellChange(): Promise<void> {
    if (!this.look.isChanged) return;
    this.look.isChanged = false;
    try {
      await this.memory.save(this.isWatching ? true : undefined);
    } finally {
      this.options.onChange();
    }
  }

  private tell(error: unknown): void {
    if (!this.stop.signal.aborted) this.options.onError(error);
  }
}
