import type { Dimensions } from '../../supervisor/protocol';

/**
 * Waits until a terminal has found its size. VS Code reports several sizes while a terminal opens; a program that
 * draws itself for the first of them is left with a garbled screen.
 */
export class SettledDimensions {
  private latest: Dimensions | undefined;
  private isSettled = false;
  private timer: NodeJS.Timeout | undefined;
  private waiting: ((dimensions: Dimensions) => void)[] = [];

  /** Takes a reported size, or `undefined` for a terminal that is open but not shown and has none yet. */
  update(dimensions: Dimensions | undefined): void {
    if (this.latest && dimensions?.columns === this.latest.columns && dimensions.rows === this.latest.rows) {
      return;
    }
    this.latest = dimensions ?? this.latest;
    this.isSettled = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), this.latest ? settlingMilliseconds : hiddenMilliseconds);
  }

  /** Resolves with the latest size as soon as it has not changed for 150 ms; not at all after {@link dispose}. */
  settled(): Promise<Dimensions> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.isSettled) {
        this.settle();
      }
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.waiting = [];
  }

  private settle(): void {
    this.isSettled = true;
    const dimensions = this.latest ?? hiddenDimensions;
    this.waiting.forEach((resolve) => resolve(dimensions));
    this.waiting = [];
  }
}

/** measured: the sizes of an opening terminal come 80 ms apart */
const settlingMilliseconds = 150;
/** how long a terminal may stay without a size before the traditional one is taken */
const hiddenMilliseconds = 1000;
const hiddenDimensions: Dimensions = { columns: 80, rows: 24 };
