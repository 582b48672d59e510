// `npm test`: gets what the tests need, compiles, runs the stages and ends with one line that counts.
import { join } from 'node:path';
import { ownProcesses } from '../../test/support/processes';
import type { Failure } from '../../test/support/results';
import { step } from '../setup/progress';
import { repositoryFolder } from '../setup/paths';
import { readArguments } from './arguments';
import { compile } from './compile';
import { requireNoTry } from './leftovers';
import { getAhead } from './parts';
import { runStage, type StageContext, type StageResults } from './runStage';
import { stages } from './stages';
import { WorkFolder } from './workFolder';

/** Runs what the command line asks for. Failures of the runner itself are failures like those of tests. */
async function main(args: readonly string[], signal: AbortSignal): Promise<StageResults> {
  const { stages: names, options } = readArguments(args);
  if (process.getuid?.() === 0) {
    throw new Error('tests do not run as root, because Apptainer as root is no sandbox: use `npm test`');
  }
  requireNoTry(ownProcesses(), join(repositoryFolder, 'out/scripts/try.cjs'));
  await step('Compiling', () => compile(signal));
  const work = new WorkFolder();
  const before = ownProcesses();
  // most of it is waiting for the network, while the first stage runs
  const ahead = getAhead(names.flatMap((name) => stages[name]?.needs ?? []));
  const context: StageContext = { options, work, before, ahead, signal };
  try {
    const results: StageResults[] = [];
    for (const stage of names) {
      results.push(await runStage(stage, context));
      signal.throwIfAborted();
    }
    return sum(results);
  } finally {
    work.remove();
  }
}

function sum(results: readonly StageResults[]): StageResults {
  return {
    passed: results.reduce((total, { passed }) => total + passed, 0),
    failures: results.flatMap(({ failures }) => failures),
  };
}

async function run(): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      stop.abort(new Error(`stopped by ${name}`));
    });
  }
  const { passed, failures } = await main(process.argv.slice(2), stop.signal).catch((error: unknown) => ({
    passed: 0,
    failures: [{ title: 'npm test', problem: error instanceof Error ? error.message : String(error) }],
  }));
  for (const failure of failures) {
    console.log(describe(failure));
  }
  process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
  console.log(`${passed} passed, ${failures.length} failed`);
}

/** UTF-16 units of an error: what a test waited for and what there was instead. */
const shownProblem = 600;

/** For the end of the output, which may be all that is seen of it. */
function describe({ title, problem }: Failure): string {
  return `FAILED ${title}\n  ${problem.slice(0, shownProblem).trim().replaceAll('\n', '\n  ')}`;
}

void run();
