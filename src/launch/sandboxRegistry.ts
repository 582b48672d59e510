import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxIndexEntry } from '../host/sandboxIndex';
import { message, type Message } from '../sandbox/message';
import type { SandboxEnd, SandboxStatus, SandboxSummary } from '../supervisor/protocol';
import type { ConnectOptions } from './connect';
import type { SandboxConnection } from './connection';
import { describeUnreachable, summaryFromIndex, unansweredDescription } from './unansweredSandbox';

/** A sandbox as one window knows it. */
export interface KnownSandbox {
  readonly socket: string;
  readonly summary: SandboxSummary;
  /** the latest status that was heard */
  readonly status: SandboxStatus;
  /** why nothing of it can be verified and nothing but Stop can be done, if so */
  readonly problem?: Message | undefined;
  /** somebody has read how it ended */
  readonly isReported?: boolean | undefined;
}

export interface RegistryOptions {
  /** the sandboxes of this host that are alive, dead ones swept away */
  readonly findLive: () => Promise<readonly SandboxIndexEntry[]>;
  readonly connect: (socket: string, options?: ConnectOptions) => Promise<SandboxConnection>;
  /**
   * ends a sandbox, also one whose supervisor does not answer, and returns how it ended; undefined when it is not
   * entered any more
   */
  readonly end: (id: string) => Promise<SandboxEnd | undefined>;
  /** the real paths of this window's folders */
  readonly folders: () => Promise<ReadonlySet<string>>;
  readonly log: (line: string) => void;
}

/** A process that is killed closes its sockets a moment before it is gone. */
const dyingMilliseconds = 200;

const supervisorKilled = message(
  'The process that keeps the sandbox was killed. The sandbox has been ended with it.',
);

interface Entry extends KnownSandbox {
  status: SandboxStatus;
  problem?: Message | undefined;
  isReported?: boolean | undefined;
  /** undefined once the sandbox has ended, and while its supervisor does not answer */
  connection: SandboxConnection | undefined;
}

/** How often a supervisor that did not answer is tried again. */
const retryMilliseconds = 10_000;

/**
 * The sandboxes of one window. It keeps a connection of its own to each, apart from those of the terminals, so that
 * the state of a sandbox is known whether or not somebody looks at it. A sandbox that was refused or broke stays
 * until {@link forget}, so that nobody overlooks it. One that lives but does not answer is on the list too, without a
 * verdict, and can be stopped.
 */
export class SandboxRegistry {
  private readonly entries = new Map<string, Entry>();
  private readonly connecting = new Map<string, Promise<KnownSandbox>>();
  private readonly changeListeners: (() => void)[] = [];
  private readonly endListeners: ((sandbox: KnownSandbox, end: SandboxEnd) => void)[] = [];
  private readonly clipboardListeners: ((sandbox: KnownSandbox) => void)[] = [];
  /** of this window; what has ended must not be looked for in the index, where it may stand for a moment more */
  private readonly ended = new Set<string>();
  /** being ended by this window: a connection that is lost now is no surprise */
  private readonly stopping = new Set<string>();
  private retrying: NodeJS.Timeout | undefined;
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

  /** Calls `listener` once for every sandbox in which a program wanted to use the clipboard and was not let. */
  onClipboardHeld(listener: (sandbox: KnownSandbox) => void): void {
    this.clipboardListeners.push(listener);
  }

  /**
   * Connects to the supervisor at this socket. A sandbox that is known already is not connected to twice.
   * @throws UserError when nobody answers
   */
  async adopt(socket: string, options?: ConnectOptions): Promise<KnownSandbox> {
    const known = [...this.entries.values()].find((entry) => entry.socket === socket);
    if (known && !isUnanswered(known)) {
      return known;
    }
    const pending = this.connecting.get(socket);
    if (pending) {
      // an entry of the index can be there before its supervisor listens: that attempt's failure says nothing of ours
      return pending.catch(() => this.adopt(socket, options));
    }
    const connecting = this.connectTo(socket, options).finally(() => this.connecting.delete(socket));
    this.connecting.set(socket, connecting);
    return connecting;
  }

  /**
   * Connects to every live sandbox of this window's folders and returns those that were not connected before. Those
   * that do not answer are listed as well; those that are gone are not any more.
   */
  async discover(): Promise<readonly KnownSandbox[]> {
    const [live, folders] = await Promise.all([this.options.findLive(), this.options.folders()]);
    this.dropUnanswered((id) => !live.some((entry) => entry.id === id));
    const news = live.filter(({ id, workspace }) => {
      const known = this.entries.get(id);
      return known ? isUnanswered(known) : folders.has(workspace) && !this.ended.has(id);
    });
    const found = await Promise.allSettled(news.map((entry) => this.adopt(entry.socket)));
    found.forEach((result, index) => {
      const entry = news[index];
      if (result.status === 'rejected' && entry) {
        this.listUnanswered(entry, result.reason);
      }
    });
    this.retryLater();
    return found.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  }

  /**
   * Ends a sandbox, whether or not its supervisor answers; resolves when nothing of it is left. Does nothing for one
   * that has ended.
   * @throws UserError when something of it may be left
   */
  async stop(id: string): Promise<void> {
    if (this.ended.has(id)) {
      return;
    }
    this.stopping.add(id);
    try {
      this.stopped(id, await this.options.end(id));
    } catch (error) {
      // it may have ended by itself at the same moment
      if (!this.ended.has(id)) {
        this.retryLater();
        throw error;
      }
    } finally {
      this.stopping.delete(id);
    }
  }

  /** Somebody has read the report on all of them: those that have ended need not be warned of any more. */
  acknowledgeEnds(): void {
    for (const entry of this.entries.values()) {
      entry.isReported = entry.status.phase === 'ended';
    }
    this.changed();
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
    clearTimeout(this.retrying);
    for (const { connection } of this.entries.values()) {
      connection?.dispose();
    }
    this.entries.clear();
  }

  private async connectTo(socket: string, options?: ConnectOptions): Promise<KnownSandbox> {
    const connection = await this.options.connect(socket, options);
    const { summary, status, restriction } = connection;
    const entry: Entry = { socket, summary, status, problem: restriction?.description, connection };
    if (this.isDisposed) {
      connection.dispose();
      return entry;
    }
    this.entries.set(summary.id, entry);
    connection.onLog((line) => this.options.log(`[${summary.id}] ${line}`));
    connection.onClipboardHeld(() => this.clipboardListeners.forEach((listener) => listener(entry)));
    connection.onStatus((next) => this.follow(entry, next));
    connection.onClosed(() => this.connectionLost(entry));
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
    this.ended.add(entry.summary.id);
    if (end.reason !== 'refused' && end.reason !== 'broken') {
      this.entries.delete(entry.summary.id);
    }
    if (end.diagnostics) {
      this.options.log(`[${entry.summary.id}] Apptainer said: ${end.diagnostics}`);
    }
    this.endListeners.forEach((listener) => listener(entry, end));
  }

  /**
   * A stream that ends without a word may be a crash, or only this connection: until that is known, nothing of the
   * sandbox is verified, and whoever is alive is found again.
   */
  private connectionLost(entry: Entry): void {
    if (!entry.connection) {
      return;
    }
    entry.connection = undefined;
    entry.status = { phase: 'running' };
    entry.problem = unansweredDescription;
    this.changed();
    if (!this.isDisposed) {
      this.options.log(`[${entry.summary.id}] The connection was lost.`);
      this.retryAfterFailure(this.afterLoss(entry));
    }
  }

  /** Finds the sandbox again, or tells that it ended with its supervisor. */
  private async afterLoss(entry: Entry): Promise<void> {
    const { id } = entry.summary;
    await delay(dyingMilliseconds);
    await this.discover();
    if (this.isDisposed || this.stopping.has(id) || this.entries.has(id) || this.ended.has(id)) {
      return;
    }
    const end: SandboxEnd = { reason: 'failed', explanation: supervisorKilled };
    this.ended.add(id);
    this.endListeners.forEach((listener) => listener(entry, end));
  }

  /** The word that a sandbox has ended may not have come yet over its own connection, or nobody is there to say it. */
  private stopped(id: string, end: SandboxEnd | undefined): void {
    const entry = this.entries.get(id);
    if (!entry || this.ended.has(id)) {
      return;
    }
    if (end) {
      // what another version means by its words is not known
      this.finish(entry, entry.problem ? { reason: 'stopped' } : end);
      this.changed();
    } else if (!entry.connection) {
      this.drop(id);
    }
  }

  private listUnanswered(entry: SandboxIndexEntry, reason: unknown): void {
    this.options.log(`[${entry.id}] The sandbox could not be reached: ${String(reason)}`);
    const known = this.entries.get(entry.id);
    if (this.isDisposed || this.ended.has(entry.id) || known?.connection) {
      return;
    }
    this.entries.set(entry.id, {
      socket: entry.socket,
      summary: known?.summary ?? summaryFromIndex(entry),
      status: { phase: 'running' },
      problem: describeUnreachable(reason),
      connection: undefined,
    });
    this.changed();
  }

  private dropUnanswered(isGone: (id: string) => boolean): void {
    for (const [id, entry] of this.entries) {
      if (isUnanswered(entry) && isGone(id)) {
        this.drop(id);
      }
    }
  }

  private drop(id: string): void {
    this.entries.get(id)?.connection?.dispose();
    if (this.entries.delete(id)) {
      this.changed();
    }
  }

  private retryLater(): void {
    clearTimeout(this.retrying);
    if (!this.isDisposed && [...this.entries.values()].some(isUnanswered)) {
      this.retrying = setTimeout(() => this.discoverAgain(), retryMilliseconds);
      this.retrying.unref();
    }
  }

  private discoverAgain(): void {
    this.retryAfterFailure(this.discover());
  }

  private retryAfterFailure(work: Promise<unknown>): void {
    void work.catch((error: unknown) => {
      this.options.log(String(error));
      this.retryLater();
    });
  }

  private changed(): void {
    this.changeListeners.forEach((listener) => listener());
  }
}

function isUnanswered({ connection, status }: Entry): boolean {
  return connection === undefined && status.phase !== 'ended';
}
