import type { NetworkEntry } from './gateway';

/** More is not kept: the agent decides how much there is. */
const longestLog = 1000;

/** What the agent tried to reach, the newest of it. */
export class NetworkLog {
  private readonly byId = new Map<number, NetworkEntry>();
  private readonly denied = new Set<string>();

  /**
   * Adds an attempt, or what has become of one. News of attempts that have been dropped are dropped, too.
   * @returns whether its host was denied for the first time
   */
  record(entry: NetworkEntry): boolean {
    const oldest = this.byId.keys().next().value ?? 0;
    if (this.byId.size >= longestLog && entry.id < oldest) {
      return false;
    }
    this.byId.set(entry.id, entry);
    if (this.byId.size > longestLog) {
      this.byId.delete(oldest);
    }
    return this.recordDenied(entry);
  }

  /** The entries that are kept, in the order of their beginning. */
  entries(): readonly NetworkEntry[] {
    return [...this.byId.values()].sort((one, other) => one.id - other.id);
  }

  /** The hosts that were denied, each once, in the order of the first time; hostile. */
  deniedHosts(): readonly string[] {
    return [...this.denied];
  }

  private recordDenied({ verdict, host }: NetworkEntry): boolean {
    if (verdict !== 'denied' || this.denied.has(host) || this.denied.size >= longestLog) {
      return false;
    }
    this.denied.add(host);
    return true;
  }
}
