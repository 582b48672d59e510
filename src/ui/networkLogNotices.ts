import type { SandboxSummary } from '../supervisor/protocol';

export interface NetworkNoticesOptions {
  /** whether the user decided to keep a host denied, for a folder: nothing is told of it */
  readonly isKeptDenied: (workspace: string, host: string) => boolean;
  /** whether the log is in sight, where everything can be seen */
  readonly isLookedAt: () => boolean;
  /** Tells, in words of our own, that something was denied; resolves when the notification is gone. */
  readonly notify: () => Promise<void>;
  /** milliseconds, of any clock that only goes forward */
  readonly now: () => number;
}

/** At most one notification in this time, so that an agent that tries fifty hosts does not cover the window. */
const quietMilliseconds = 10_000;

/** Beyond so many hosts of one sandbox nothing new is told: an agent could make up names for ever. */
const toldHosts = 1000;

/** Decides what is told of denied attempts: each host once for each sandbox, and never two notifications at a time. */
export class NetworkNotices {
  /** the hosts that were told or counted, by the id of the sandbox */
  private readonly known = new Map<string, Set<string>>();
  private count = 0;
  private isOpen = false;
  private quietUntil = -Infinity;

  constructor(private readonly options: NetworkNoticesOptions) {}

  /** The number of denied hosts that nobody has looked at. */
  get unseen(): number {
    return this.count;
  }

  /** A sandbox was denied a host. */
  denied({ id, workspace }: SandboxSummary, host: string): void {
    const hosts = this.known.get(id) ?? new Set();
    this.known.set(id, hosts);
    if (hosts.has(host) || hosts.size >= toldHosts) {
      return;
    }
    hosts.add(host);
    if (!this.options.isKeptDenied(workspace, host) && !this.options.isLookedAt()) {
      this.count += 1;
      this.tell();
    }
  }

  /** Somebody looks at the log. */
  lookedAt(): void {
    this.count = 0;
  }

  /** A sandbox has ended: its hosts need not be remembered. */
  forget(id: string): void {
    this.known.delete(id);
  }

  private tell(): void {
    const now = this.options.now();
    if (this.isOpen || now < this.quietUntil) {
      return;
    }
    this.isOpen = true;
    this.quietUntil = now + quietMilliseconds;
    void this.options.notify().finally(() => {
      this.isOpen = false;
    });
  }
}
