/** A look begins so long after the last one at the least, and all looks take a twentieth of the time at the most. */
const slowMilliseconds = 10_000;
const slowShare = 20;

/** Where not everything can be watched, all is looked at again and again. */
export class SlowLook {
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param look looks at everything, and never fails
   * @param goesOn whether to look again, asked after each look
   * @param now milliseconds of a clock that nobody sets, and that stands still while the computer sleeps
   */
  constructor(
    private readonly look: () => Promise<void>,
    private readonly goesOn: () => boolean,
    private readonly now = (): number => performance.now(),
  ) {}

  /** Whether it has begun and was not ended. */
  get isOn(): boolean {
    return this.timer !== undefined;
  }

  begin(): void {
    if (!this.timer) this.again(slowMilliseconds);
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private again(milliseconds: number): void {
    this.timer = setTimeout(() => {
      const since = this.now();
      void this.look().then(() => {
        if (this.goesOn()) this.again(Math.max(slowMilliseconds, slowShare * (this.now() - since)));
      });
    }, milliseconds);
  }
}
