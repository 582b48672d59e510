/** Real programs ask a handful of questions at their start; answers to more are dropped. */
const unitsPerPeriod = 16_384;
const periodMilliseconds = 10_000;

/**
 * How much may be typed into a program as answers to its questions: one that asks without end and never reads would
 * make them pile up in memory (measured: 4 GB in half a minute).
 */
export class AnswerBudget {
  private left = unitsPerPeriod;
  private begin = 0;

  /** Whether an answer of this many UTF-16 units may be given now. */
  allows(units: number, now = performance.now()): boolean {
    if (now - this.begin >= periodMilliseconds) {
      this.begin = now;
      this.left = unitsPerPeriod;
    }
    this.left -= units;
    return this.left >= 0;
  }
}
