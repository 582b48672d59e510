import type { Figure } from '../../test/bench/bench';

/** Figures as lines for people: the name, and below it what was measured and what is wanted. */
export function table(figures: readonly Figure[]): string {
  return figures
    .flatMap(({ name, unit, values, goal, isMet }) => [
      `${name} [${unit}]`,
      `  ${Object.entries(values)
        .map(([what, value]) => `${what} ${short(value)}`)
        .join('   ')}   (${isMet ? 'met' : 'NOT MET'}: ${goal})`,
    ])
    .join('\n');
}

/** Three digits that say something. */
function short(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
