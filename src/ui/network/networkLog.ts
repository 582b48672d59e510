import { setTimeout as delay } from 'node:timers/promises';
import type { NetworkEntry } from '../../gateway/gateway';
import { NetworkLog } from '../../gateway/networkLog';
import type { KnownSandbox } from '../../launch/sandboxRegistry';
import type { SandboxSummary } from '../../supervisor/protocol';

/** What the logs need of the registry of a window's sandboxes. */
export interface NetworkSource {
  /** those that have not ended */
  running(): readonly KnownSandbox[];
  /** what a sandbox tried to reach so far, the oldest first; empty for one that can't be asked */
  networkLog(id: string): Promise<readonly NetworkEntry[]>;
}

/** What one sandbox tried to reach. */
export interface LoggedSandbox {
  readonly summary: SandboxSummary;
  readonly isRunning: boolean;
  /** the oldest first */
  readonly entries: readonly NetworkEntry[];
}

interface KeptLog {
  readonly summary: SandboxSummary;
  log: NetworkLog;
  /** whether what it tried before this window knew it is there, too */
  isWhole: boolean;
}

/** Of so many sandboxes is kept what they tried, so that what a task did can be looked at when it is over. */
const keptSandboxes = 10;

const patienceMilliseconds = 2000;

/** As long as the longest name of a host can be (RFC 1035, 2.3.4). */
const longestHost = 253;

/** What the sandboxes of a window tried to reach; those too that ended while it was open. */
export class NetworkLogs {
  private readonly kept = new Map<string, KeptLog>();

  constructor(private readonly source: NetworkSource) {}

  /** Notes an attempt, or how one of before has gone on. @returns it as it is kept, its host at most 253 characters */
  record({ summary }: KnownSandbox, entry: NetworkEntry): NetworkEntry {
    const kept = bounded(entry);
    this.of(summary).log.record(kept);
    return kept;
  }

  /**
   * Asks the running sandboxes for what they tried before this window knew them. Never throws: one that can't say it
   * is asked again the next time.
   */
  async complete(): Promise<void> {
    const asking = this.source
      .running()
      .filter(({ summary, problem }) => !problem && !this.of(summary).isWhole)
      .map(async ({ summary }) => {
        const fetched = await Promise.race([this.source.networkLog(summary.id), patience()]);
        if (fetched) {
          complete(this.of(summary), fetched);
        }
      });
    await Promise.allSettled(asking);
  }

  /** All of them, the latest sandbox first. */
  list(): readonly LoggedSandbox[] {
    const running = this.runningIds();
    return [...this.kept.values()]
      .map(({ summary, log }) => ({
        summary,
        isRunning: running.has(summary.id),
        entries: log.entries(),
      }))
      .sort((one, other) => other.summary.startedAt - one.summary.startedAt);
  }

  private of(summary: SandboxSummary): KeptLog {
    const known = this.kept.get(summary.id);
    if (known) {
      return known;
    }
    const kept = { summary, log: new NetworkLog(), isWhole: false };
    this.kept.set(summary.id, kept);
    this.dropOldest();
    return kept;
  }

  private dropOldest(): void {
    const running = this.runningIds();
    const over = [...this.kept.keys()].filter((id) => !running.has(id));
    over.slice(0, Math.max(0, this.kept.size - keptSandboxes)).forEach((id) => this.kept.delete(id));
  }

  private runningIds(): ReadonlySet<string> {
    return new Set(this.source.running().map(({ summary }) => summary.id));
  }
}

/** A supervisor that was stopped takes a question and never answers. */
function patience(): Promise<undefined> {
  return delay(patienceMilliseconds, undefined, { ref: false });
}

/** Puts what was asked for under what was told meanwhile: of one attempt, that counts which says how it ended. */
function complete(kept: KeptLog, fetched: readonly NetworkEntry[]): void {
  const all = new Map(fetched.map((entry) => [entry.id, entry]));
  for (const told of kept.log.entries()) {
    if (all.get(told.id)?.durationMilliseconds === undefined) {
      all.set(told.id, told);
    }
  }
  kept.log = new NetworkLog();
  kept.isWhole = true;
  [...all.values()]
    .sort((one, other) => one.id - other.id)
    .forEach((entry) => void kept.log.record(bounded(entry)));
}

/** The agent chooses what a host is called. */
function bounded(entry: NetworkEntry): NetworkEntry {
  return entry.host.length > longestHost ? { ...entry, host: entry.host.slice(0, longestHost) } : entry;
}
