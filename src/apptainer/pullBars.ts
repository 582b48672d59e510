/** What a bar of Apptainer's tells. */
export interface Bar {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

/** The bars of the libraries that Apptainer draws with: sizes for each layer, or a percentage alone. */
const sizeBar = /^([\d.]+)\s?([KMGT]?i?)[bB]? \/ ([\d.]+)\s?([KMGT]?i?)[bB]?\b.*\[.*\]/;
const percentBar = /^\[[=>.\-/| ]*\]\s*(\d{1,3}) %/;
const prefixes = ['', 'K', 'M', 'G', 'T'];

/** The sizes of a bar that has them. */
export function barOf(line: string): Bar | undefined {
  const [, done, doneUnit = '', total, totalUnit = ''] = sizeBar.exec(line) ?? [];
  if (done === undefined || total === undefined) return undefined;
  return { doneBytes: bytesOf(done, doneUnit), totalBytes: bytesOf(total, totalUnit) };
}

/** The percentage of a bar that has nothing else. */
export function percentOf(line: string): number | undefined {
  const [, percent] = percentBar.exec(line) ?? [];
  return percent === undefined ? undefined : Number(percent);
}

function bytesOf(number: string, unit: string): number {
  const power = prefixes.indexOf(unit.charAt(0));
  return Number(number) * (unit.endsWith('i') ? 1024 : 1000) ** Math.max(0, power);
}
