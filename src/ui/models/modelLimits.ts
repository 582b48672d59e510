/** Tokens that a model takes and gives; both or none. */
export interface Limits {
  readonly context?: number;
  readonly output?: number;
}

/** Ten times the largest context that any model has today. */
const maximumTokens = 100_000_000;

/** Reads `131072 / 8192`, with any separators. @returns undefined when it is neither that nor empty */
export function readLimits(text: string): Limits | undefined {
  if (text.trim() === '') return {};
  const [, first, second] = /^\s*(\d{1,9})\s*[/,; ]\s*(\d{1,9})\s*$/.exec(text) ?? [];
  const [context, output] = [Number(first), Number(second)];
  const fits = output > 0 && output <= context && context <= maximumTokens;
  return fits ? { context, output } : undefined;
}
