import type { Memento } from 'vscode';
import type { KnownSandbox } from '../../launch/sandboxRegistry';
import type { SandboxSummary } from '../../supervisor/protocol';
import {
  effectiveHosts,
  hostMatcher,
  readFolderHosts,
  readOnceHosts,
  type FolderHosts,
} from './allowedHostsList';
import type { HostDecisions } from './networkLogGroups';

/** What is needed of the registry of a window's sandboxes. */
export interface RunningSandboxes {
  /** those that have not ended */
  running(): readonly KnownSandbox[];
  /** Replaces the hosts that a running sandbox may reach. @throws UserError */
  setAllowedHosts(id: string, hosts: readonly string[]): Promise<void>;
}

export interface AllowedHostsOptions {
  /** the extension's own state, where no workspace and no agent can write */
  readonly memory: Pick<Memento, 'get' | 'update'>;
  /**
   * as `machineIdentity` gives it: the state is where the window is, and so is common to all machines that are reached
   * from there, and a folder is one of one machine
   */
  readonly machine: string;
  readonly sandboxes: RunningSandboxes;
  /** the entries of the user's setting. @throws UserError `setting.invalid` */
  readonly readSetting: () => readonly string[];
}

/** What of a sandbox decides what is allowed to it. */
type SandboxIdentity = Pick<SandboxSummary, 'id' | 'workspace'>;

/** Once is for one sandbox; of so many, what was allowed once is remembered. */
const rememberedSandboxes = 100;

const onceKey = 'allowedHosts.once';

/**
 * What the user allowed sandboxes to reach: for a folder, for one sandbox, or, by the setting, for all. Folders are
 * real paths. What changes here is told to the running sandboxes at once.
 */
export class AllowedHosts {
  constructor(private readonly options: AllowedHostsOptions) {}

  /**
   * The entries that count when a sandbox starts in a folder.
   * @throws UserError `setting.invalid`
   */
  effectiveHosts(folder: string): string[] {
    return effectiveHosts(this.ofFolder(folder), this.options.readSetting());
  }

  /** What was chosen for a folder. */
  ofFolder(folder: string): FolderHosts {
    return readFolderHosts(this.options.memory.get(this.folderKey(folder)));
  }

  /** What was allowed once for the sandboxes that run in a folder. */
  onceIn(folder: string): string[] {
    const once = this.once();
    return [...new Set(this.runningIn(folder).flatMap(({ summary }) => once.get(summary.id) ?? []))];
  }

  /** What is allowed for a sandbox until it ends, and for its folder not. */
  onlyOnce({ id, workspace }: SandboxIdentity): readonly string[] {
    const lasting = effectiveHosts(this.ofFolder(workspace), []);
    return (this.once().get(id) ?? []).filter((entry) => !lasting.includes(entry));
  }

  /** The entries of the setting. @throws UserError `setting.invalid` */
  ofSetting(): readonly string[] {
    return this.options.readSetting();
  }

  /**
   * Replaces what was chosen for a folder.
   * @param once what stays of what was allowed once for its running sandboxes
   * @throws UserError when a sandbox could not be told
   */
  async choose(
    folder: string,
    hosts: Omit<FolderHosts, 'keptDenied'>,
    once: readonly string[],
  ): Promise<void> {
    const { keptDenied } = this.ofFolder(folder);
    await this.store(folder, { ...hosts, keptDenied });
    await this.changeOnce(this.runningIn(folder), (entries) =>
      entries.filter((entry) => once.includes(entry)),
    );
    await this.apply(folder);
  }

  /** Allows these entries for a folder, from now on. @throws UserError when a sandbox could not be told */
  async allow(folder: string, added: readonly string[], host: string): Promise<void> {
    const { entries, presets, keptDenied } = this.ofFolder(folder);
    await this.store(folder, {
      entries: [...new Set([...entries, ...added])],
      presets,
      keptDenied: keptDenied.filter((kept) => kept !== host),
    });
    await this.apply(folder);
  }

  /** Allows these entries for one running sandbox, until it ends. @throws UserError when it could not be told */
  async allowOnce(id: string, added: readonly string[]): Promise<void> {
    const sandboxes = this.options.sandboxes.running().filter(({ summary }) => summary.id === id);
    await this.changeOnce(sandboxes, (entries) => [...new Set([...entries, ...added])]);
    await this.tell(sandboxes);
  }

  /** Decides to say no more of a host that is denied. @param host hostile; at most 253 characters */
  async keepDenied(folder: string, host: string): Promise<void> {
    const hosts = this.ofFolder(folder);
    await this.store(folder, { ...hosts, keptDenied: [...new Set([...hosts.keptDenied, host])] });
  }

  isKeptDenied(folder: string, host: string): boolean {
    return this.ofFolder(folder).keptDenied.includes(host);
  }

  /**
   * What counts for a sandbox now: of one that runs, what itself says that it lets through. While the setting is wrong,
   * nothing is known to be allowed.
   */
  decisionsFor(summary: SandboxIdentity): HostDecisions {
    const keptDenied = new Set(this.ofFolder(summary.workspace).keptDenied);
    const running = this.options.sandboxes.running().find((sandbox) => sandbox.summary.id === summary.id);
    const told = running?.status.reach?.hosts.map(({ entry }) => entry);
    try {
      return { allows: hostMatcher(told ?? this.ofSandbox(summary)), keptDenied };
    } catch {
      return { allows: () => false, keptDenied };
    }
  }

  /**
   * Tells the running sandboxes what they may reach.
   * @param folder only those that work there
   * @throws UserError `setting.invalid`, or when a sandbox could not be told
   */
  async apply(folder?: string): Promise<void> {
    await this.tell(folder === undefined ? this.options.sandboxes.running() : this.runningIn(folder));
  }

  /** A sandbox has ended: nothing is allowed for it any more. */
  async forget(id: string): Promise<void> {
    const once = this.once();
    if (once.delete(id)) {
      await this.options.memory.update(onceKey, Object.fromEntries(once));
    }
  }

  private ofSandbox({ id, workspace }: SandboxIdentity): string[] {
    return effectiveHosts(this.ofFolder(workspace), this.options.readSetting(), this.once().get(id));
  }

  private async tell(sandboxes: readonly KnownSandbox[]): Promise<void> {
    const told = sandboxes
      .filter(({ summary, problem }) => summary.network === 'restricted' && !problem)
      .map(({ summary }) => this.options.sandboxes.setAllowedHosts(summary.id, this.ofSandbox(summary)));
    // one that can't be told must not keep the others from it
    const failed = (await Promise.allSettled(told)).find((result) => result.status === 'rejected');
    if (failed) {
      throw failed.reason;
    }
  }

  private runningIn(folder: string): readonly KnownSandbox[] {
    return this.options.sandboxes.running().filter(({ summary }) => summary.workspace === folder);
  }

  private async store(folder: string, hosts: FolderHosts): Promise<void> {
    await this.options.memory.update(this.folderKey(folder), hosts);
  }

  private folderKey(folder: string): string {
    return `allowedHosts.folder ${this.options.machine} ${folder}`;
  }

  private once(): Map<string, readonly string[]> {
    return readOnceHosts(this.options.memory.get(onceKey));
  }

  private async changeOnce(
    sandboxes: readonly KnownSandbox[],
    change: (entries: readonly string[]) => readonly string[],
  ): Promise<void> {
    const once = this.once();
    for (const { summary } of sandboxes) {
      const entries = change(once.get(summary.id) ?? []);
      once.delete(summary.id);
      if (entries.length > 0) {
        once.set(summary.id, entries);
      }
    }
    await this.options.memory.update(onceKey, Object.fromEntries([...once].slice(-rememberedSandboxes)));
  }
}
