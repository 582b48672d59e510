import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Refusal } from './refusal.mjs';

const options = {
  headless: { type: 'boolean', default: false },
  timeout: { type: 'string', default: '600' },
  network: { type: 'string', default: 'restricted' },
};

/**
 * Reads the arguments of `npm run try -- …`. A relative folder is one of where npm was called.
 * @param {readonly string[]} args
 * @returns {import('./tryArguments.mjs').TryArguments}
 * @throws {Refusal} when they make no sense
 */
export function parseTryArguments(args) {
  const { values, positionals, tokens } = parse(args);
  const { headless, network } = values;
  const [folder, task, ...more] = positionals;
  if (headless !== (task !== undefined) || more.length > 0) {
    throw new Refusal(
      headless
        ? 'Use: npm run try -- --headless FOLDER "task" (the task in quotes).'
        : 'Use: npm run try -- [FOLDER] (one folder at most; a task only with --headless).',
    );
  }
  const timeoutMilliseconds = Number(values.timeout) * 1000;
  if (!(timeoutMilliseconds > 0)) {
    throw new Refusal('--timeout needs a number of seconds.');
  }
  if (network !== 'restricted' && network !== 'open' && network !== 'none') {
    throw new Refusal('--network is “restricted”, “open” or “none”.');
  }
  return {
    headless,
    network,
    timeoutMilliseconds,
    task,
    folder: folder === undefined ? undefined : resolve(process.env.INIT_CWD ?? '', folder),
    folderPosition: tokens.find((token) => token.kind === 'positional')?.index,
  };
}

function parse(args) {
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true });
  } catch (error) {
    throw new Refusal(`${error.message}\n“npm run try -- --help” lists what there is.`);
  }
}
