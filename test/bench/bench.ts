/** One thing that was measured. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** what was measured, by its name: `direct`, `gateway`, `added` … */
  readonly values: Readonly<Record<string, number>>;
  /** what is wanted of it, for people */
  readonly goal: string;
  readonly isMet: boolean;
}

/** Measures one part of the extension. Nothing that it starts is left when it is over. */
export interface Bench {
  /**
   * Gives each figure when it is known.
   * @throws Error when something does not work, as opposed to being slow
   */
  run(signal: AbortSignal): AsyncIterable<Figure>;
}

/** The middle one of some numbers; NaN of none. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** How often each side is measured; odd, so that a median is one of the values. */
export const usualRounds = 9;

/**
 * Measures several ways in turn, so that whatever else the computer does meets all of them. The first time of each does
 * not count.
 * @returns the values of each, round by round
 */
export async function inTurn<Name extends string>(
  ways: Readonly<Record<Name, () => Promise<number>>>,
  rounds = usualRounds,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(ways) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await ways[name]();
  for (let round = 0; round < rounds; round++) {
    for (const name of names) values[name].push(await ways[name]());
  }
  return values;
}

/** {@link inTurn} for what is measured with and without a gateway. */
export function alternate(
  direct: () => Promise<number>,
  gateway: () => Promise<number>,
): Promise<{ direct: number[]; gateway: number[] }> {
  return inTurn({ direct, gateway });
}

/** The median of what the values are of others, round by round: a ratio within one run. */
export function ratioTo(base: readonly number[], values: readonly number[]): number {
  return median(values.map((value, round) => value / (base[round] ?? NaN)));
}

/** Milliseconds that some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The value below which 95 % of some numbers are. */
export function percentile95(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.ceil(numbers.length * 0.95) - 1] ?? NaN;
}
