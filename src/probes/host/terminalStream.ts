import { Cancelled } from '../../sandbox/userError';
import type { RunningTarget } from './target';

/** So much of what comes out is kept: all reports and more, but no flood. */
const kept = 1024 * 1024;

const lookMilliseconds = 20;

/** Everything that comes out on the terminal of a sandbox. */
export class TerminalStream {
  private recent = '';
  private received = 0;
  private gone: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private listener: () => void = () => undefined;

  constructor(
    running: RunningTarget,
    private readonly signal: AbortSignal,
  ) {
    running.onOutput((data) => {
      this.received += data.length;
      this.recent += data;
      if (this.recent.length > 2 * kept) this.recent = this.recent.slice(-kept);
      this.lookSoon();
    });
    void running.ended.then((why) => {
      this.gone = why;
      this.listener();
    });
    signal.addEventListener('abort', () => this.listener(), { once: true });
  }

  /** Not at each of thousands of pieces. */
  private lookSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.listener();
    }, lookMilliseconds);
  }

  /** The last megabyte, or two. */
  get text(): string {
    return this.recent;
  }

  /** Whether `text` is all that came out. */
  get isWhole(): boolean {
    return this.received === this.recent.length;
  }

  /** UTF-16 units in all. */
  get units(): number {
    return this.received;
  }

  /**
   * Waits until the text is as it should be.
   * @param what has to happen, for the error
   * @throws Cancelled; Error when the sandbox ends meanwhile, or it takes too long
   */
  until(what: string, milliseconds: number, isSo: (text: string) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(new Error(`it took too long until ${what}`)), milliseconds);
      const finish = (error?: Error): void => {
        clearTimeout(timer);
        this.listener = () => undefined;
        if (error) reject(error);
        else resolve();
      };
      this.listener = () => {
        if (isSo(this.recent)) finish();
        else if (this.signal.aborted) finish(new Cancelled('the proof was cancelled'));
        else if (this.gone !== undefined) finish(new Error(`the sandbox ended before ${what}: ${this.gone}`));
      };
      this.listener();
    });
  }
}
