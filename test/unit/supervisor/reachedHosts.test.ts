import assert from 'node:assert/strict';
import { reachedHosts } from '../../../src/supervisor/reachedHosts';

describe('the list of allowed hosts after it was replaced', () => {
  it('keeps the time of what was on it, and has each entry once', () => {
    const first = reachedHosts([], ['pypi.org', 'pypi.org'], 1000);
    const second = reachedHosts(first, ['example.org', 'pypi.org'], 2000);
    assert.deepEqual(second, [
      { entry: 'example.org', since: 2000 },
      { entry: 'pypi.org', since: 1000 },
    ]);
    assert.deepEqual(reachedHosts(reachedHosts(second, [], 3000), ['pypi.org'], 4000), [
      { entry: 'pypi.org', since: 4000 },
    ]);
  });
});
