import type { Figure } from '../../test/bench/bench';

/** What `--json` writes, and what is committed as `test/bench/result.json`. */
export interface Results {
  /** what it was measured on */
  readonly computer: Readonly<Record<string, string | number | undefined>>;
  /** load of the computer before each bench: a busy one says little */
  readonly load: Readonly<Record<string, number | undefined>>;
  readonly benches: Readonly<Record<string, readonly Figure[]>>;
}

/** Two runs on a quiet computer differ by about as much. */
const noise = 0.1;

/** Ratios within one run, by their names: they say the same on another computer, more or less. */
export function ratiosOf(figures: readonly Figure[]): Record<string, number> {
  const values = figures.flatMap((figure) => Object.entries(figure.values));
  return Object.fromEntries(values.filter(([what]) => what.endsWith('Ratio')));
}

/**
 * What moved by more than noise since an earlier run, one line for each value; what is only in one of the two is left
 * out.
 */
export function movedSince(before: readonly Figure[], now: readonly Figure[]): string[] {
  return now.flatMap(({ name, unit, values }) => {
    const earlier = before.find((figure) => figure.name === name)?.values ?? {};
    return Object.entries(values).flatMap(([what, value]) => {
      const old = earlier[what];
      if (old === undefined || !hasMoved(old, value)) return [];
      return [
        `${name}, ${what}: ${shown(old, what, unit)} → ${shown(value, what, unit)}${changeOf(old, value)}`,
      ];
    });
  });
}

function hasMoved(old: number, value: number): boolean {
  return Math.abs(value - old) > noise * Math.abs(old);
}

function shown(value: number, what: string, unit: string): string {
  const digits = Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
  return what.endsWith('Ratio') ? digits : `${digits} ${unit}`;
}

function changeOf(old: number, value: number): string {
  const percent = Math.round((value / old - 1) * 100);
  return Number.isFinite(percent) ? ` (${percent > 0 ? '+' : '−'}${Math.abs(percent)} %)` : '';
}
