import assert from 'node:assert/strict';
import { boundBy, boundPaths } from '../../../src/guard/boundPaths';
import type { Verdict, VisiblePath } from '../../../src/sandbox/verdict';

const verdict = (time: number, ...paths: readonly string[]): Verdict => ({
  ...{ state: 'isolated', network: 'none', lines: [], time },
  visiblePaths: [
    { hostPath: '/w', containerPath: '/w', mode: 'readWrite' },
    { hostPath: '/run/empty', containerPath: '/w/agent-home', mode: 'readOnly' },
    ...paths.map((path): VisiblePath => ({ hostPath: path, containerPath: path, mode: 'readOnly' })),
  ],
});

describe('what no sandbox can write', () => {
  it('is what all of them have bound read-only, as old as the oldest verdict', () => {
    const verdicts = [verdict(5, '/w/.git', '/w/.vscode'), verdict(3, '/w/.git')];
    assert.deepEqual(boundBy('/w/.git/config', verdicts), { path: '/w/.git', time: 3 });
    assert.equal(boundBy('/w/.vscode/tasks.json', verdicts), undefined);
    assert.equal(boundBy('/w/.gitignore', verdicts), undefined);
    assert.equal(boundBy('/w/agent-home/x', verdicts), undefined, 'that shows something else');
    assert.deepEqual(boundPaths(verdicts), ['/w/.git']);
  });

  it('is nothing when there is no sandbox, or one of which nothing is known', () => {
    assert.equal(boundBy('/w/.git', []), undefined);
    assert.equal(boundBy('/w/.git', [verdict(1, '/w/.git'), undefined]), undefined);
    assert.deepEqual(boundPaths([]), []);
  });
});
