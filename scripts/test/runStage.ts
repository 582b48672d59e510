import { join } from 'node:path';
import type { KnownProcess } from '../../test/support/processes';
import type { Failure, TestResults } from '../../test/support/results';
import { cacheFolder, repositoryFolder } from '../setup/paths';
import { say } from '../setup/progress';
import { findLeftovers, kill } from './leftovers';
import { getPart } from './parts';
import { runTests } from './runTests';
import { filesToTryAgain, withSecondTry } from './secondTry';
import { stages, type TestRun } from './stages';
import type { WorkFolder } from './workFolder';

export interface StageContext {
  /** mocha's own, from the command line */
  readonly options: readonly string[];
  readonly work: WorkFolder;
  /** what this user ran before the tests began */
  readonly before: readonly KnownProcess[];
  /** resolves when everything is there that stages need: what gets it is not left by tests */
  readonly ahead: Promise<void>;
  /** ends the tests early */
  readonly signal: AbortSignal;
}

/** UTF-16 units; enough to know which process it is. */
const shownCommandLine = 200;

/** What a stage counted. */
export type StageResults = Pick<TestResults, 'passed' | 'failures'>;

/** Runs one stage. What it leaves behind is removed, and a failure; so is a part that cannot be had. */
export async function runStage(name: string, context: StageContext): Promise<StageResults> {
  const results = { passed: 0, failures: [] as Failure[] };
  say(`\n=== ${name}`);
  try {
    const environment = { ...context.work.environment, ...(await getParts(name)) };
    for (const run of stages[name]?.runs(context.options) ?? []) {
      const { passed, failures } = await runTwice(run, environment, context);
      results.passed += passed;
      results.failures.push(...failures);
    }
    if (results.passed + results.failures.length === 0) {
      throw new Error('no test ran');
    }
  } catch (error) {
    results.failures.push({ title: name, problem: error instanceof Error ? error.message : String(error) });
  }
  const left = await cleanUp(context);
  results.failures.push(...left.map((what) => ({ title: name, problem: `left ${what}` })));
  return results;
}

/** Runs tests, and where the run allows it those files again that failed; what failed at first is printed. */
async function runTwice(
  run: TestRun,
  environment: NodeJS.ProcessEnv,
  context: StageContext,
): Promise<StageResults> {
  const { options, work, signal } = context;
  const start = (which: TestRun): Promise<TestResults> =>
    runTests(which, environment, work.path, signal, options.length > 0);
  const first = await start(run);
  const files = filesToTryAgain(first);
  if (run.again === undefined || files.length === 0) {
    return first;
  }
  for (const { title, problem } of first.failures) {
    say(`FAILED AT FIRST ${title}: ${problem}`);
  }
  await cleanUp(context);
  return withSecondTry(first, await start(run.again(files)), files);
}

async function getParts(stage: string): Promise<NodeJS.ProcessEnv> {
  const variables: NodeJS.ProcessEnv = {};
  for (const part of stages[stage]?.needs ?? []) {
    Object.assign(variables, await getPart(part));
  }
  return variables;
}

/** Returns what was left. Tests that were stopped could not clean up. */
async function cleanUp({ work, before, ahead, signal }: StageContext): Promise<string[]> {
  await ahead;
  const leftovers = await findLeftovers(before, [work.path, cacheFolder, join(repositoryFolder, 'dist')]);
  kill(leftovers);
  const left = [
    ...leftovers.map(({ pid, commandLine }) => `process ${pid} running: ${shorten(commandLine)}`),
    ...work.takeRunDirectories().map((path) => `the run directory ${path}`),
  ];
  return signal.aborted ? [] : left;
}

function shorten(commandLine: string): string {
  return commandLine.replace(/\s+/g, ' ').slice(0, shownCommandLine);
}
