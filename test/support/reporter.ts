import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { requireVariable, testVariable } from './environment';
import type { Failure, TestResults } from './results';

const { EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_RUN_END } = Mocha.Runner.constants;

/** Mocha's `spec` reporter, which also leaves the counts in a file when the run has ended. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const path = requireVariable(testVariable.results);
    let passed = 0;
    const passedByFile: Record<string, number> = {};
    const failures: Failure[] = [];
    runner.on(EVENT_TEST_PASS, ({ file = '' }) => {
      passed += 1;
      passedByFile[file] = (passedByFile[file] ?? 0) + 1;
    });
    runner.on(EVENT_TEST_FAIL, (test, error: unknown) => {
      failures.push({ title: test.fullTitle(), problem: explain(error), file: test.file });
    });
    runner.once(EVENT_RUN_END, () => {
      const results: TestResults = { passed, failed: failures.length, failures, passedByFile };
      writeFileSync(path, JSON.stringify(results));
    });
  }
}

/** What the error says, where in the tests it came from, and what caused it. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = /^ +at .*out\/test\/.*$/m.exec(error.stack ?? '')?.[0].trim();
  const because = error.cause === undefined ? [] : [`because: ${explain(error.cause)}`];
  return [error.message, ...(place === undefined ? [] : [place]), ...because].join('\n');
}

// `mocha --reporter FILE` takes the module itself for the class
module.exports = CountingReporter;
