import assert from 'node:assert/strict';
import { filesToTryAgain, withSecondTry } from '../../../scripts/test/secondTry';
import { noResults } from '../../support/results';

describe('a second try of tests', () => {
  const failure = (file: string | undefined) => ({ title: 'a test', problem: 'it is so', file });
  const files = (...names: (string | undefined)[]) => filesToTryAgain({ failures: names.map(failure) });

  it('is for the files in which tests failed', () => {
    assert.deepEqual(files('a.js', 'a.js', 'b.js'), ['a.js', 'b.js']);
    assert.deepEqual(files(), []);
  });

  it('is not for what is no accident', () => {
    assert.deepEqual(files('a.js', undefined), []);
    assert.deepEqual(files('a.js', 'b.js', 'c.js', 'd.js'), []);
  });

  it('counts instead of the first, and for its files only', () => {
    const first = {
      ...noResults,
      passed: 7,
      passedByFile: { 'a.js': 2, 'b.js': 5 },
      failures: [failure('a.js')],
    };
    const again = { ...noResults, passed: 3 };
    assert.deepEqual(withSecondTry(first, again, ['a.js']), { passed: 8, failures: [] });
    const stillFailing = { ...noResults, passed: 2, failures: [failure('a.js')] };
    assert.deepEqual(withSecondTry(first, stillFailing, ['a.js']), {
      passed: 7,
      failures: [failure('a.js')],
    });
  });
});
