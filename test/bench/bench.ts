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
const rounds = 9;

/**
 * Measures two ways in turn, so that whatever else the computer does meets both.
 * @returns the values of each, round by round
 */
export async function alternate(
  direct: () => Promise<number>,
  gateway: () => Promise<number>,
): Promise<{ direct: number[]; gateway: number[] }> {
  const values = { direct: [] as number[], gateway: [] as number[] };
  await direct();
  await gateway();
  for (let round = 0; round < rounds; round++) {
    values.direct.push(await direct());
    values.gateway.push(await gateway());
  }
  return values;
}
