import type { SandboxSummary } from '../../supervisor/protocol';

export interface NetworkNoticesOptions {
  /** whether the user decided to keep a host denied, for a folder: nothing is told of it */
  readonly isKeptDenied: (workspace: string, host: string) => boolean;
  /** whether the log is in sight, where everything can be seen */
  readonly isLookedAt: () => boolean;
  /**
   * Tells, in words of our own, that something was denied; resolves when the notification is answered or closed, which
   * may be never. A new one takes the place of one that is still there.
   */
  readonly notify: () => Promise<void>;
  /** milliseconds, of any clock that only goes forward */
  readonly now: () => number;
  /** Calls back after so many milliseconds. @returns what prevents it */
  readonly later: (milliseconds: number, callback: () => void) => () => void;
}

/** At most one notification in this time, so that an agent that tries fifty hosts does not cover the window. */
const quietMilliseconds = 10_000;

/** What is denied so soon after a notification came is told by that one: VS Code shows it for 10 s (1.139). */
const inSightMilliseconds = 5000;

/** Who answers none of them is told less often, but told. */
const longestQuietMilliseconds = 5 * 60_000;

/** Beyond so many hosts of one sandbox nothing new is told: an agent could make up names for ever. */
const toldHosts = 1000;

/** Decides what is told of denied attempts: each host once for each sandbox, and never two notifications at a time. */
export class NetworkNotices {
  /** the hosts that were told or counted, by the id of the sandbox */
  private readonly known = new Map<string, Set<string>>();
  private count = 0;
  /** the notification that nobody has answered yet */
  private open: { readonly since: number } | undefined;
  /** how many in a row nobody has answered */
  private ignored = 0;
  private quietUntil = -Infinity;
  /** takes back the notification that comes when it may */
  private takeBack: (() => void) | undefined;

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
    this.ignored = 0;
    this.dispose();
  }

  /** A sandbox has ended: its hosts need not be remembered. */
  forget(id: string): void {
    this.known.delete(id);
  }

  /** No notification comes any more by itself. */
  dispose(): void {
    this.takeBack?.();
    this.takeBack = undefined;
  }

  private tell(): void {
    const now = this.options.now();
    // the one that is in sight tells of this host, too: it names none
    if (this.takeBack || (this.open && now - this.open.since < inSightMilliseconds)) {
      return;
    }
    if (now < this.quietUntil) {
      this.takeBack = this.options.later(this.quietUntil - now, () => {
        this.takeBack = undefined;
        this.tell();
      });
      return;
    }
    this.ignored = this.open ? this.ignored + 1 : 0;
    this.quietUntil = now + Math.min(quietMilliseconds * 2 ** this.ignored, longestQuietMilliseconds);
    const notification = { since: now };
    this.open = notification;
    void this.options.notify().finally(() => {
      if (this.open === notification) this.open = undefined;
    });
  }
}
