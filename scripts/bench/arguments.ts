import { parseArgs } from 'node:util';

export interface BenchArguments {
  readonly names: readonly string[];
  /** where the figures are written as JSON */
  readonly json?: string;
}

/**
 * Reads `[--only NAME]… [--json FILE]`.
 * @param known names of all benches; what is measured if nothing else is said
 * @throws Error when a name or an option is unknown
 */
export function readArguments(argv: readonly string[], known: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...argv],
    options: { only: { type: 'string', multiple: true }, json: { type: 'string' } },
  });
  const unknown = values.only?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`no bench is called "${unknown}"; there are: ${known.join(', ')}`);
  }
  return { names: values.only ?? known, ...(values.json === undefined ? {} : { json: values.json }) };
}
