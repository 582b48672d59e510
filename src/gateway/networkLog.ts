import type { NetworkEntry } from './gateway';

/** More of one kind is not kept: the agent decides how much there is. */
const longestLog = 1000;
/** Hosts beyond those are only counted, so far. */
const mostCounted = 10_000;
/** Of what was denied for the same reason at the same host and port; a program that tries again and again says little. */
const mostAlike = 50;

/**
 * What counts against each other when there is too much. What could carry data out is never pushed out by what could
 * not, which costs the agent nothing.
 */
export function kindOfEntry({ verdict, bytesSent }: NetworkEntry): NetworkEntry['verdict'] {
  return bytesSent > 0 ? 'allowed' : verdict;
}

/** What the agent tried to reach, the newest of it: of each kind as much. */
export class NetworkLog {
  private readonly kinds = {
    allowed: new Map<number, NetworkEntry>(),
    failed: new Map<number, NetworkEntry>(),
    denied: new Map<number, NetworkEntry>(),
  };
  /** ids of the entries among `denied` that are alike, the oldest first */
  private readonly alike = new Map<string, Set<number>>();
  private readonly hosts = new Set<string>();

  /**
   * Adds an attempt, or what has become of one. News of attempts that have been dropped are dropped, too.
   * @returns whether its host was denied for the first time
   */
  record(entry: NetworkEntry): boolean {
    const kept = this.kinds[kindOfEntry(entry)];
    const oldest = kept.keys().next().value ?? 0;
    if (kept.size >= longestLog && entry.id < oldest && !this.has(entry.id)) {
      return false;
    }
    for (const other of Object.values(this.kinds)) {
      if (other !== kept) this.drop(other, entry.id);
    }
    kept.set(entry.id, entry);
    if (kept === this.kinds.denied) this.dropAlike(entry);
    if (kept.size > longestLog) this.drop(kept, oldestOf(kept));
    return this.recordDenied(entry);
  }

  /** The entries that are kept, in the order of their beginning. */
  entries(): readonly NetworkEntry[] {
    const all = Object.values(this.kinds).flatMap((kept) => [...kept.values()]);
    return all.sort((one, other) => one.id - other.id);
  }

  /** The hosts that were denied, each once, in the order of the first time, the first thousand; hostile. */
  deniedHosts(): readonly string[] {
    return [...this.hosts].slice(0, longestLog);
  }

  /** How many further hosts were denied that {@link deniedHosts} leaves out; 10,000 means that or more. */
  deniedHostsLeftOff(): number {
    return Math.max(0, this.hosts.size - longestLog);
  }

  private has(id: number): boolean {
    return Object.values(this.kinds).some((kept) => kept.has(id));
  }

  private drop(kept: Map<number, NetworkEntry>, id: number): void {
    const entry = kept.get(id);
    kept.delete(id);
    if (entry === undefined || kept !== this.kinds.denied) return;
    const ids = this.alike.get(keyOf(entry));
    ids?.delete(id);
    if (ids?.size === 0) this.alike.delete(keyOf(entry));
  }

  private dropAlike(entry: NetworkEntry): void {
    const ids = this.alike.get(keyOf(entry)) ?? new Set();
    this.alike.set(keyOf(entry), ids.add(entry.id));
    const [oldest] = ids;
    if (ids.size > mostAlike && oldest !== undefined) this.drop(this.kinds.denied, oldest);
  }

  private recordDenied({ verdict, host }: NetworkEntry): boolean {
    const isNew = verdict === 'denied' && !this.hosts.has(host);
    if (!isNew || this.hosts.size >= longestLog + mostCounted) {
      return false;
    }
    this.hosts.add(host);
    // the others are no news: nobody could be told of each
    return this.hosts.size <= longestLog;
  }
}

/** The oldest one that is over: what is open has not shown yet how much it carries. */
function oldestOf(kept: ReadonlyMap<number, NetworkEntry>): number {
  for (const [id, { durationMilliseconds }] of kept) {
    if (durationMilliseconds !== undefined) return id;
  }
  return kept.keys().next().value ?? 0;
}

function keyOf({ host, port, reason }: NetworkEntry): string {
  return `${port} ${reason} ${host}`;
}
