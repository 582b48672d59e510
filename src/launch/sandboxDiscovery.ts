import type { SandboxIndexEntry } from '../host/sandboxIndex';
import { Listeners } from './listeners';
import type { SandboxConnector } from './sandboxConnector';
import { isUnanswered, type KnownSandbox, type SandboxList } from './sandboxList';

export interface DiscoveryOptions {
  /** the sandboxes of this host that are alive, dead ones swept away */
  readonly findLive: () => Promise<readonly SandboxIndexEntry[]>;
  /** the real paths of this window's folders */
  readonly folders: () => Promise<ReadonlySet<string>>;
  readonly log: (line: string) => void;
}

/** How often a supervisor that did not answer is tried again. */
const retryMilliseconds = 10_000;

/** Finds the live sandboxes of this window's folders, and tries those again that do not answer. */
export class SandboxDiscovery {
  /** fires for every sandbox that did not answer when it was looked for, and does now */
  readonly answered = new Listeners<[KnownSandbox]>();
  private retrying: NodeJS.Timeout | undefined;

  constructor(
    private readonly sandboxes: SandboxList,
    private readonly connector: SandboxConnector,
    private readonly options: DiscoveryOptions,
  ) {}

  /** Connects to every one, and lists those that do not answer. @returns those that were not connected before */
  async discover(): Promise<readonly KnownSandbox[]> {
    const [live, folders] = await Promise.all([this.options.findLive(), this.options.folders()]);
    this.sandboxes.dropGone(new Set(live.map(({ id }) => id)));
    const news = live.filter(({ id, workspace }) => {
      const known = this.sandboxes.get(id);
      return known ? isUnanswered(known) : folders.has(workspace) && !this.sandboxes.hasEnded(id);
    });
    const found = await Promise.allSettled(news.map((entry) => this.connector.adopt(entry.socket)));
    found.forEach((result, index) => {
      const entry = news[index];
      if (result.status === 'rejected' && entry) {
        this.sandboxes.putUnanswered(entry, result.reason);
      }
    });
    this.retryLater();
    return found.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  }

  /** Looks again in a while, if any does not answer. */
  retryLater(): void {
    clearTimeout(this.retrying);
    if (this.sandboxes.all().some(isUnanswered)) {
      this.retrying = setTimeout(() => this.retryAfterFailure(this.retry()), retryMilliseconds);
      this.retrying.unref();
    }
  }

  /** Waits for nobody: when the work fails, that is logged, and everything is looked for again in a while. */
  retryAfterFailure(work: Promise<unknown>): void {
    void work.catch((error: unknown) => {
      this.options.log(String(error));
      this.retryLater();
    });
  }

  /** Looks for nothing any more. */
  dispose(): void {
    clearTimeout(this.retrying);
  }

  private async retry(): Promise<void> {
    const silent = new Set(
      this.sandboxes
        .all()
        .filter(isUnanswered)
        .map(({ summary }) => summary.id),
    );
    for (const sandbox of await this.discover()) {
      if (silent.has(sandbox.summary.id)) this.answered.fire(sandbox);
    }
  }
}
