import { stages, usualStages } from './stages';

export interface TestArguments {
  readonly stages: readonly string[];
  /** for mocha, as they are */
  readonly options: readonly string[];
}

/**
 * Reads `[STAGE…] [MOCHA OPTION…]`.
 *
 * @throws Error when a stage is unknown
 */
export function readArguments(argv: readonly string[]): TestArguments {
  const firstOption = argv.findIndex((argument) => argument.startsWith('-'));
  const names = firstOption < 0 ? argv : argv.slice(0, firstOption);
  const unknown = names.find((name) => !(name in stages));
  if (unknown !== undefined) {
    throw new Error(`no test stage is called "${unknown}"; there are: ${Object.keys(stages).join(', ')}`);
  }
  return {
    stages: names.length === 0 ? usualStages : names,
    options: firstOption < 0 ? [] : argv.slice(firstOption),
  };
}
