import type { SandboxIndexEntry } from '../host/sandboxIndex';
import type { Message } from '../sandbox/message';
import type { SandboxEnd, SandboxStatus, SandboxSummary } from '../supervisor/protocol';
import type { SandboxConnection } from './connection';
import { Listeners } from './listeners';
import { describeUnreachable, summaryFromIndex } from './unansweredSandbox';

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

/** The same, for those who keep the list. */
export interface ListedSandbox extends KnownSandbox {
  status: SandboxStatus;
  problem?: Message | undefined;
  isReported?: boolean | undefined;
  /** undefined once the sandbox has ended, and while its supervisor does not answer */
  connection: SandboxConnection | undefined;
}

/** It lives, as far as anybody knows, and nobody is connected to it. */
export function isUnanswered({ connection, status }: ListedSandbox): boolean {
  return connection === undefined && status.phase !== 'ended';
}

/**
 * The sandboxes that one window knows, and how those ended that it knew. One that was refused or broke stays until
 * {@link forget}, so that nobody overlooks it.
 */
export class SandboxList {
  /** fires after every change of the list or of a status */
  readonly changes = new Listeners<[]>();
  /** fires once for every sandbox that ends while it is known */
  readonly ends = new Listeners<[KnownSandbox, SandboxEnd]>();
  private readonly sandboxes = new Map<string, ListedSandbox>();
  /** what has ended must not be looked for in the index, where it may stand for a moment more */
  private readonly ended = new Set<string>();
  private disposed = false;

  constructor(private readonly log: (line: string) => void) {}

  get isDisposed(): boolean {
    return this.disposed;
  }

  /** All of them, the oldest first. */
  all(): readonly ListedSandbox[] {
    return [...this.sandboxes.values()].sort((one, other) => one.summary.startedAt - other.summary.startedAt);
  }

  get(id: string): ListedSandbox | undefined {
    return this.sandboxes.get(id);
  }

  hasEnded(id: string): boolean {
    return this.ended.has(id);
  }

  /** Enters a sandbox, in the place of what was known by its id. */
  put(sandbox: ListedSandbox): void {
    this.sandboxes.set(sandbox.summary.id, sandbox);
    this.changes.fire();
  }

  /** Enters a sandbox that lives and can't be reached, unless somebody is connected to it. @param reason why */
  putUnanswered(entry: SandboxIndexEntry, reason: unknown): void {
    const { id, socket } = entry;
    this.log(`[${id}] The sandbox could not be reached: ${String(reason)}`);
    const known = this.sandboxes.get(id);
    if (this.disposed || this.ended.has(id) || known?.connection) {
      return;
    }
    this.put({
      socket,
      summary: known?.summary ?? summaryFromIndex(entry),
      status: { phase: 'running' },
      problem: describeUnreachable(reason),
      connection: undefined,
    });
  }

  /** Takes those off the list that did not answer and are gone. @param live the ids of those that are not */
  dropGone(live: ReadonlySet<string>): void {
    for (const [id, sandbox] of this.sandboxes) {
      if (isUnanswered(sandbox) && !live.has(id)) {
        this.drop(id);
      }
    }
  }

  /** Takes a new status of a sandbox that is connected. */
  follow(sandbox: ListedSandbox, status: SandboxStatus): void {
    if (!sandbox.connection) {
      return;
    }
    sandbox.status = status;
    if (status.phase === 'ended' && status.end) {
      this.finish(sandbox, status.end);
    } else {
      this.changes.fire();
    }
  }

  /** Notes that a sandbox has ended, and lets go of it. */
  finish(sandbox: ListedSandbox, end: SandboxEnd): void {
    const { id } = sandbox.summary;
    sandbox.connection?.dispose();
    sandbox.connection = undefined;
    // a window can come upon it once more while its supervisor says good-bye to others
    const isNews = !this.ended.has(id);
    this.ended.add(id);
    if (end.reason !== 'refused' && end.reason !== 'broken') {
      this.sandboxes.delete(id);
    }
    if (end.diagnostics) {
      this.log(`[${id}] Apptainer said: ${end.diagnostics}`);
    }
    if (isNews) this.ends.fire(sandbox, end);
    this.changes.fire();
  }

  /** Takes a sandbox off the list without a word on how it ended. */
  drop(id: string): void {
    this.sandboxes.get(id)?.connection?.dispose();
    if (this.sandboxes.delete(id)) {
      this.changes.fire();
    }
  }

  /** Takes a sandbox that has ended off the list. */
  forget(id: string): void {
    if (this.sandboxes.get(id)?.status.phase === 'ended') {
      this.drop(id);
    }
  }

  /** Somebody has read the report on all of them: those that have ended need not be warned of any more. */
  acknowledgeEnds(): void {
    for (const sandbox of this.sandboxes.values()) {
      sandbox.isReported = sandbox.status.phase === 'ended';
    }
    this.changes.fire();
  }

  /** Lets go of all sandboxes without ending any. */
  dispose(): void {
    this.disposed = true;
    for (const { connection } of this.sandboxes.values()) {
      connection?.dispose();
    }
    this.sandboxes.clear();
  }
}
