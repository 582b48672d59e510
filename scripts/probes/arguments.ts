import { parseArgs } from 'node:util';

/** What the battery can be run against. */
export const targetNames = ['ours', 'plain', 'bwrap', 'srt'] as const;
export type TargetName = (typeof targetNames)[number];

export interface ProbesArguments {
  readonly names: readonly TargetName[];
  /** where the results are written as JSON */
  readonly json?: string;
  /** where the table is written as Markdown, without anything of this computer */
  readonly markdown?: string;
}

/**
 * Reads `[--target NAME]… [--json FILE] [--markdown FILE]`; a target may be a list with commas.
 * @throws Error when a name or an option is unknown
 */
export function readArguments(argv: readonly string[]): ProbesArguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      target: { type: 'string', multiple: true },
      json: { type: 'string' },
      markdown: { type: 'string' },
    },
  });
  const asked = (values.target ?? ['ours', 'plain']).flatMap((list) => list.split(','));
  const names = asked.map((name) => targetNames.find((known) => known === name) ?? unknown(name));
  return {
    names,
    ...(values.json === undefined ? {} : { json: values.json }),
    ...(values.markdown === undefined ? {} : { markdown: values.markdown }),
  };
}

function unknown(name: string): never {
  throw new Error(`no target is called "${name}"; there are: ${targetNames.join(', ')}`);
}
