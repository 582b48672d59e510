import type { TestResults } from '../../test/support/results';

/** More are no accident of a busy machine, and would take too long. */
const mostFiles = 3;

/**
 * The compiled files whose tests may be run again because one of them failed; empty when that would hide more than an
 * accident: something else than a test failed, nothing did, or tests in more than three files.
 */
export function filesToTryAgain({ failures }: Pick<TestResults, 'failures'>): string[] {
  const files = failures.map(({ file }) => file);
  const known = files.filter((file) => file !== undefined);
  const different = [...new Set(known)];
  return known.length === files.length && different.length <= mostFiles ? different : [];
}

/** What counts when the tests of `files` ran again: those of other files as they were, these as they are now. */
export function withSecondTry(
  first: TestResults,
  second: Pick<TestResults, 'passed' | 'failures'>,
  files: readonly string[],
): Pick<TestResults, 'passed' | 'failures'> {
  const before = files.reduce((total, file) => total + (first.passedByFile[file] ?? 0), 0);
  return { passed: first.passed - before + second.passed, failures: second.failures };
}
