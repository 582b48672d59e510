import type { NetworkEntry } from '../gateway/gateway';

/** An agent can make up any number of names, and the log has all that is worth keeping. */
const mostHosts = 100;

/** Denied hosts of which no window could hear, because none was attached: the next one that comes is told. */
export class UnheardAttempts {
  /** the latest attempt for each host */
  private readonly denied = new Map<string, NetworkEntry>();

  /** Notes attempts that nobody was told. */
  note(entries: readonly NetworkEntry[]): void {
    for (const entry of entries) {
      const { verdict, host } = entry;
      if (verdict === 'denied' && (this.denied.has(host) || this.denied.size < mostHosts)) {
        this.denied.set(host, entry);
      }
    }
  }

  /** What is to be told now, one attempt for each host; nothing of it is told again. */
  take(): readonly NetworkEntry[] {
    const entries = [...this.denied.values()];
    this.denied.clear();
    return entries;
  }
}
