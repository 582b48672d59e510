import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { SlowLook } from '../../../src/guard/slowLook';

/** What is awaited by now has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a folder that can’t be watched', () => {
  let looks: number;
  let looked: () => void;
  let isWatching: boolean;
  let slow: SlowLook;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    looks = 0;
    isWatching = true;
    slow = new SlowLook(
      () => {
        looks += 1;
        return new Promise((resolve) => {
          looked = resolve;
        });
      },
      () => isWatching,
      Date.now,
    );
  });
  afterEach(() => mock.timers.reset());

  /** @param milliseconds how long the look takes */
  async function takes(milliseconds: number): Promise<void> {
    mock.timers.tick(milliseconds);
    looked();
    await settled();
  }

  it('is looked at again every ten seconds, once however often that is asked for', async () => {
    slow.begin();
    slow.begin();
    mock.timers.tick(9_999);
    assert.equal(looks, 0);
    mock.timers.tick(1);
    assert.equal(looks, 1);
    await takes(100);
    mock.timers.tick(10_000);
    assert.equal(looks, 2);
  });

  it('is looked at for a twentieth of the time when a look takes long, and not twice at a time', async () => {
    slow.begin();
    mock.timers.tick(10_000);
    await takes(30_000);
    assert.equal(looks, 1);
    mock.timers.tick(20 * 30_000 - 1);
    assert.equal(looks, 1);
    mock.timers.tick(1);
    assert.equal(looks, 2);
  });

  it('is looked at as soon as ever when the clock was set, or the computer slept, during a look', async () => {
    slow = new SlowLook(
      () => {
        looks += 1;
        mock.timers.setTime(Date.now() + 8 * 60 * 60_000);
        return Promise.resolve();
      },
      () => isWatching,
    );
    slow.begin();
    mock.timers.tick(10_000);
    await settled();
    mock.timers.tick(10_000);
    assert.equal(looks, 2);
  });

  it('is not looked at any more once that is ended, or nobody watches when a look is over', async () => {
    slow.begin();
    assert.ok(slow.isOn);
    slow.end();
    assert.ok(!slow.isOn);
    mock.timers.tick(60_000);
    assert.equal(looks, 0);
    slow.begin();
    mock.timers.tick(10_000);
    isWatching = false;
    await takes(0);
    mock.timers.tick(60_000);
    assert.equal(looks, 1);
  });
});
