import assert from 'node:assert/strict';
import { LiveRefresh, waitMilliseconds } from '../../../src/ui/liveRefresh';
import { waitUntil } from '../../support/waitUntil';

describe('what is refreshed on news', () => {
  let isVisible = true;
  let calls = 0;
  let finish: (() => void) | undefined;
  const errors: unknown[] = [];
  const make = (): LiveRefresh =>
    new LiveRefresh({
      isVisible: () => isVisible,
      refresh: () => {
        calls += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      onError: (error) => errors.push(error),
      settlingMilliseconds: 1,
    });
  beforeEach(() => {
    isVisible = true;
    calls = 0;
  });

  it('is refreshed once for what comes at once, and again for what comes meanwhile', async () => {
    const live = make();
    for (let count = 0; count < 100; count += 1) live.heard();
    await waitUntil('refreshed', () => calls === 1);
    live.heard();
    live.heard();
    assert.equal(calls, 1, 'one at a time');
    finish?.();
    await waitUntil('again', () => calls === 2);
    live.dispose();
  });

  it('waits until somebody sees it', async () => {
    const live = make();
    isVisible = false;
    live.heard();
    live.shown();
    await new Promise((later) => setTimeout(later, 20));
    assert.equal(calls, 0);
    isVisible = true;
    live.shown();
    await waitUntil('refreshed', () => calls === 1);
    live.dispose();
  });

  it('goes on when one went wrong', async () => {
    let count = 0;
    const live = new LiveRefresh({
      ...{ isVisible: () => true, settlingMilliseconds: 1 },
      refresh: () => {
        count += 1;
        return Promise.reject(new Error('x'));
      },
      onError: (error) => errors.push(error),
    });
    live.heard();
    await waitUntil('told', () => errors.length === 1);
    live.heard();
    await waitUntil('again', () => count === 2);
    live.dispose();
  });

  it('rests nine times as long as it works, and not once more for what comes after that', () => {
    assert.equal(waitMilliseconds(20, 100, 0), 900);
    assert.equal(waitMilliseconds(20, 100, 600), 300);
    assert.equal(waitMilliseconds(20, 100, 60_000), 20);
    assert.equal(waitMilliseconds(20, 1, 0), 20);
  });
});
