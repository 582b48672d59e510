import type { SandboxIndexEntry } from '../host/sandboxIndex';
import type { SandboxEnd, SandboxStatus, SandboxSummary } from '../supervisor/protocol';
import type { SandboxConnection } from './connection';

/** A sandbox as one window knows it. */
export interface KnownSandbox {
  readonly socket: string;
  readonly summary: SandboxSummary;
  /** the latest status that was heard */
  readonly status: SandboxStatus;
}

export interface RegistryOptions {
  /** the sandboxes of this host that are alive, dead ones swept away */
  readonly findLive: () => Promise<readonly SandboxIndexEntry[]>;
  readonly connect: (socket: string) => Promise<SandboxConnection>;
  /** the real paths of this window's folders */
  readonly folders: () => Promise<ReadonlySet<string>>;
  readonly log: (line: string) => void;
}

interface Entry extends KnownSandbox {
  status: SandboxStatus;
  /** undefined once the sandbox has ended */
  connection: SandboxConnection | undefined;
}

/**
 * The sandboxes of one window. It keeps a connection of its own to each, apart from those of the terminals, so that
 * the state of a sandbox is known whether or not somebody looks at it. A sandbox that was refused or broke stays
 * until {@link forget}, so that nobody overlooks it.
 */
export class SandboxRegistry {
  private readonly entries = new Map<string, Entry>();
  private readonly connecting = new Map<string, Promise<KnownSandbox>>();
  private readonly changeListeners: (() => void)[] = [];
  private readonly endListeners: ((sandbox: KnownSandbox, end: SandboxEnd) => void)[] = [];
  private isDisposed = false;

  constructor(private readonly options: RegistryOptions) {}

  /** All sandboxes, the oldest first. */
  list(): readonly KnownSandbox[] {
    return [...this.entries.values()].sort((one, other) => one.summary.startedAt - other.summary.startedAt);
  }

  /** Those that have not ended. */
  running(): readonly KnownSandbox[] {
    return this.list().filter(({ status }) => status.phase !== 'ended');
  }

  /** Calls `listener` after every change of the list or of a status, for as long as the registry lives. */
  onChange(listener: () => void): void {
    this.changeListeners.push(listener);
  }

  /** Calls `listener` once for every sandbox that ends while this window knows it. */
  onEnd(listener: (sandbox: KnownSandbox, end: SandboxEnd) => void): void {
    this.endListeners.push(listener);
  }

  /**
   * Connects to the supervisor at this socket. A sandbox that is known already is not connected to twice.
   * @throws UserError when nobody answers
   */
  async adopt(socket: string): Promise<KnownSandbox> {
    const known = this.list().find((sandbox) => sandbox.socket === socket);
    if (known) {
      return known;
    }
    const pending = this.connecting.get(socket);
    if (pending) {
      // an entry of the index can be there before its supervisor listens: that attempt's failure says nothing of ours
      return pending.catch(() => this.adopt(socket));
    }
    const connecting = this.connectTo(socket).finally(() => this.connecting.delete(socket));
    this.connecting.set(socket, connecting);
    return connecting;
  }

  /** Connects to every live sandbox of this window's folders and returns those that were not known before. */
  async discover(): Promise<readonly KnownSandbox[]> {
    const [live, folders] = await Promise.all([this.options.findLive(), this.options.folders()]);
    const news = live.filter(({ id, workspace }) => folders.has(workspace) && !this.entries.has(id));
    const found = await Promise.allSettled(news.map((entry) => this.adopt(entry.socket)));
    for (const result of found) {
      if (result.status === 'rejected') {
        this.options.log(`A sandbox could not be reached: ${String(result.reason)}`);
      }
    }
    return found.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  }

  /** Ends a sandbox; resolves when nothing of it is left. Does nothing for one that has ended. */
  async stop(id: string): Promise<void> {
    const entry = this.entries.get(id);
    try {
      await entry?.connection?.stop();
    } catch (error) {
      // the word that it has ended may overtake the answer
      if (entry?.status.phase !== 'ended') {
        throw error;
      }
    }
  }

  /** Takes a sandbox that has ended off the list. */
  forget(id: string): void {
    if (this.entries.get(id)?.status.phase === 'ended') {
      this.entries.delete(id);
      this.changed();
    }
  }

  /** Lets go of all sandboxes without ending any. */
  dispose(): void {
    this.isDisposed = true;
    for (const { connection } of this.entries.values()) {
      connection?.dispose();
    }
    this.entries.clear();
  }

  private async connectTo(socket: string): Promise<KnownSandbox> {
    const connection = await this.options.connect(socket);
    const { summary, status } = connection;
    const entry: Entry = { socket, summary, status, connection };
    if (this.isDisposed) {
      connection.dispose();
      return entry;
    }
    this.entries.set(summary.id, entry);
    connection.onLog((line) => this.options.log(`[${summary.id}] ${line}`));
    connection.onStatus((next) => this.follow(entry, next));
    connection.onClosed(() => this.lose(entry));
    this.follow(entry, connection.status);
    return entry;
  }

  private follow(entry: Entry, status: SandboxStatus): void {
    if (!entry.connection) {
      return;
    }
    entry.status = status;
    if (status.phase === 'ended' && status.end) {
      this.finish(entry, status.end);
    }
    this.changed();
  }

  private finish(entry: Entry, end: SandboxEnd): void {
    entry.connection?.dispose();
    entry.connection = undefined;
    if (end.reason !== 'refused' && end.reason !== 'broken') {
      this.entries.delete(entry.summary.id);
    }
    if (end.diagnostics) {
      this.options.log(`[${entry.summary.id}] Apptainer said: ${end.diagnostics}`);
    }
    for (const listener of this.endListeners) {
      listener(entry, end);
    }
  }

  /** A stream that ends without a word may be a crash, or only this connection: whoever is alive is found again. */
  private lose(entry: Entry): void {
    if (!entry.connection) {
      return;
    }
    entry.connection = undefined;
    this.entries.delete(entry.summary.id);
    this.changed();
    if (!this.isDisposed) {
      this.options.log(`[${entry.summary.id}] The connection was lost.`);
      void this.discover().catch((error: unknown) => this.options.log(String(error)));
    }
  }

  private changed(): void {
    for (const listener of this.changeListeners) {
      listener();
    }
  }
}
