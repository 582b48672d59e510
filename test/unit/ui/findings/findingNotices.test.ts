import assert from 'node:assert/strict';
import { FindingNotices } from '../../../../src/ui/findings/findingNotices';
import type { PlacedFinding } from '../../../../src/ui/findings/findingRows';

const placed = (path: string, rule: 'repository' | 'build'): PlacedFinding => ({
  workspace: '/w',
  finding: { path, change: 'new', foundAt: 0, mark: { rule, kind: 'file', identity: '1' } },
});

describe('what is told of findings', () => {
  let told: number;
  let close: () => void;
  let isLookedAt: boolean;
  let notices: FindingNotices;
  beforeEach(() => {
    told = 0;
    isLookedAt = false;
    notices = new FindingNotices({
      isLookedAt: () => isLookedAt,
      notify: () => {
        told += 1;
        return new Promise((resolve) => (close = resolve));
      },
    });
  });

  it('are severe ones, each once, and one notification at a time', async () => {
    notices.update([placed('Makefile', 'build')]);
    assert.equal(told, 0);
    notices.update([placed('a/.git', 'repository')]);
    notices.update([placed('a/.git', 'repository'), placed('b/.git', 'repository')]);
    assert.equal(told, 1);
    close();
    await new Promise((later) => setImmediate(later));
    notices.update([placed('b/.git', 'repository')]);
    assert.equal(told, 1, 'it was among those of which was told');
    notices.update([placed('c/.git', 'repository')]);
    assert.equal(told, 2);
  });

  it('are none while somebody looks', () => {
    isLookedAt = true;
    notices.update([placed('a/.git', 'repository')]);
    assert.equal(told, 0);
  });
});
