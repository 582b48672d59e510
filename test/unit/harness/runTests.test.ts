import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTests } from '../../../scripts/test/runTests';
import { testVariable } from '../../support/environment';
import { noResults, type TestResults } from '../../support/results';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('the count of one run of tests', () => {
  const folder = useTemporaryFolder();
  const signal = new AbortController().signal;

  /** Counts a program that leaves these results, if any, and then does `then`. */
  function count(results: TestResults | undefined, then: string, isSelection = false): Promise<TestResults> {
    const program = join(folder(), 'program.js');
    const leave =
      results === undefined
        ? ''
        : `require('node:fs').writeFileSync(process.env.${testVariable.results}, ${JSON.stringify(JSON.stringify(results))});`;
    writeFileSync(program, `${leave}\n${then}`);
    return runTests(
      { title: 'a run', timeoutMinutes: 1, argv: [program] },
      {},
      folder(),
      signal,
      isSelection,
    );
  }

  const passing: TestResults = { ...noResults, passed: 2, passedByFile: { 'a.js': 2 } };

  it('is what the run has left', async () => {
    assert.deepEqual(await count(passing, ''), passing);
    const failing: TestResults = {
      passed: 1,
      failed: 1,
      failures: [{ title: 'a test', problem: 'it is so', file: 'a.js' }],
      passedByFile: { 'a.js': 1 },
    };
    assert.deepEqual(await count(failing, 'process.exitCode = 1'), failing);
  });

  for (const [what, results, then, reason] of [
    ['died before it could count', undefined, "process.kill(process.pid, 'SIGKILL')", /no test ran.*SIGKILL/],
    ['ended early, as if all were well', undefined, '', /no test ran.*exit code 0/],
    ['found no tests', noResults, '', /no test ran/],
    ['failed after its tests', passing, 'process.exitCode = 3', /did not end well.*exit code 3/],
  ] as const) {
    it(`has one failure more when the run ${what}`, async () => {
      const { passed, failed, failures } = await count(results, then);
      assert.equal(passed, results?.passed ?? 0);
      assert.equal(failed, 1);
      assert.match(failures.map(({ problem }) => problem).join(), reason);
    });
  }

  it('may be zero when tests were asked for by name', async () => {
    assert.deepEqual(await count(noResults, '', true), noResults);
    assert.equal((await count(undefined, '', true)).failed, 1);
  });
});
