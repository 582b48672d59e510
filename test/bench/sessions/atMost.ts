import type { Figure } from '../bench';

/** A figure of one value that should not be larger than another. */
export function atMost(name: string, unit: string, value: number, most = Infinity): Figure {
  const goal = most === Infinity ? 'none' : `at most ${most} ${unit}`;
  return { name, unit, values: { measured: value }, goal, isMet: value <= most };
}
