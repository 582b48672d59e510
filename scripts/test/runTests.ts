import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { testVariable } from '../../test/support/environment';
import { noResults, readResults, type TestResults } from '../../test/support/results';
import { goodEnd, runNodeProgram } from './nodeProgram';
import type { TestRun } from './stages';

/**
 * Runs one process of tests and counts. Whatever makes the numbers unreliable (it crashed, hung, found no tests, or
 * its exit code says otherwise) is one more failure.
 *
 * @param environment for the process, over this one's own
 * @param scratch where the results may be left
 * @param signal ends the run early
 * @param isSelection some tests were asked for by name, which may be in another run
 */
export async function runTests(
  run: TestRun,
  environment: NodeJS.ProcessEnv,
  scratch: string,
  signal: AbortSignal,
  isSelection = false,
): Promise<TestResults> {
  const resultsFile = join(scratch, `${run.title}.json`);
  rmSync(resultsFile, { force: true });
  const outcome = await runNodeProgram({
    argv: run.argv,
    environment: { ...environment, [testVariable.results]: resultsFile },
    signal,
    timeoutMilliseconds: run.timeoutMinutes * 60_000,
  });
  const left = readResults(resultsFile);
  const results = left ?? noResults;
  const problem = findProblem(results, outcome, isSelection && left !== undefined);
  return problem === undefined
    ? results
    : {
        ...results,
        failed: results.failed + 1,
        failures: [...results.failures, { title: run.title, problem: `${problem} (${outcome})` }],
      };
}

function findProblem(
  { passed, failed }: TestResults,
  outcome: string,
  mayBeEmpty: boolean,
): string | undefined {
  if (passed + failed === 0 && !mayBeEmpty) {
    return 'no test ran';
  }
  return failed === 0 && outcome !== goodEnd ? 'all tests passed, but the run did not end well' : undefined;
}
