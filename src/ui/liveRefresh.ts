export interface LiveRefreshOptions {
  /** whether anybody sees what is refreshed */
  readonly isVisible: () => boolean;
  readonly refresh: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** several things happen at once */
  readonly settlingMilliseconds?: number;
}

const usualMilliseconds = 500;
/** A tenth of the time at most, whatever happens. */
const restShare = 9;

/**
 * How long news wait, in milliseconds: whoever has had rest after the last time need not wait for more of it.
 * @param last how long that took
 * @param rested since then
 */
export function waitMilliseconds(settling: number, last: number, rested: number): number {
  return Math.max(settling, restShare * last - rested);
}

/** Refreshes what is shown when somebody tells of news: soon, one time after the other, and never for nobody. */
export class LiveRefresh {
  private isStale = false;
  private isWorking = false;
  private timer: NodeJS.Timeout | undefined;
  private lastMilliseconds = 0;
  private lastEnd = 0;
  private isDisposed = false;

  constructor(private readonly options: LiveRefreshOptions) {}

  /** Something has happened. */
  heard(): void {
    this.isStale = true;
    this.plan();
  }

  /** Somebody sees it again. */
  shown(): void {
    this.plan();
  }

  dispose(): void {
    this.isDisposed = true;
    clearTimeout(this.timer);
  }

  private plan(): void {
    if (!this.isStale || this.isWorking || this.isDisposed || !this.options.isVisible()) return;
    const { settlingMilliseconds = usualMilliseconds } = this.options;
    const wait = waitMilliseconds(
      settlingMilliseconds,
      this.lastMilliseconds,
      performance.now() - this.lastEnd,
    );
    this.timer ??= setTimeout(() => void this.work(), wait);
  }

  private async work(): Promise<void> {
    this.timer = undefined;
    this.isStale = false;
    this.isWorking = true;
    const since = performance.now();
    try {
      await this.options.refresh();
    } catch (error) {
      this.options.onError(error);
    }
    this.lastEnd = performance.now();
    this.lastMilliseconds = this.lastEnd - since;
    this.isWorking = false;
    this.plan();
  }
}
