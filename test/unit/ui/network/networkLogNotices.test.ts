import assert from 'node:assert/strict';
import { NetworkNotices } from '../../../../src/ui/network/networkLogNotices';
import { restrictedSandbox } from '../../../support/networkEntries';

const { summary } = restrictedSandbox();

/** Notices with a clock that the test sets, and notifications that the test closes. */
function noticesUnderTest(options: { keptDenied?: string; isLookedAt?: boolean } = {}): {
  notices: NetworkNotices;
  clock: { now: number };
  open: (() => void)[];
  /** Lets time pass, with what was to happen later. */
  pass: (milliseconds: number) => void;
} {
  const clock = { now: 0 };
  const open: (() => void)[] = [];
  const timers = new Map<() => void, number>();
  const notices = new NetworkNotices({
    isKeptDenied: (_workspace, host) => host === options.keptDenied,
    isLookedAt: () => options.isLookedAt === true,
    notify: () => new Promise<void>((resolve) => open.push(resolve)),
    now: () => clock.now,
    later: (milliseconds, callback) => {
      timers.set(callback, clock.now + milliseconds);
      return () => void timers.delete(callback);
    },
  });
  const pass = (milliseconds: number): void => {
    clock.now += milliseconds;
    for (const [callback, time] of timers) {
      if (time <= clock.now) {
        timers.delete(callback);
        callback();
      }
    }
  };
  return { notices, clock, open, pass };
}

/** Closes a notification; returns when that has been noticed. */
async function close(notification: (() => void) | undefined): Promise<void> {
  notification?.();
  await new Promise(setImmediate);
}

describe('the notices of denied hosts', () => {
  it('come once for each host of each sandbox', async () => {
    const { notices, clock, open } = noticesUnderTest();
    for (let attempt = 0; attempt < 1000; attempt += 1) {
      notices.denied(summary, 'a.example');
      clock.now += 1000;
    }
    assert.equal(open.length, 1);
    assert.equal(notices.unseen, 1);
    await close(open[0]);
    notices.denied({ ...summary, id: 'ffffffffffffffff' }, 'a.example');
    assert.equal(open.length, 2);
    assert.equal(notices.unseen, 2);
  });

  it('are one for many hosts in a burst, with all of them counted', () => {
    const { notices, open, pass } = noticesUnderTest();
    for (let host = 0; host < 50; host += 1) {
      notices.denied(summary, `${host}.example`);
    }
    pass(3_600_000);
    assert.equal(open.length, 1);
    assert.equal(notices.unseen, 50);
  });

  it('come later for a host that is denied soon after one was closed', async () => {
    const { notices, open, pass } = noticesUnderTest();
    notices.denied(summary, 'a.example');
    await close(open[0]);
    pass(1000);
    notices.denied(summary, 'b.example');
    notices.denied(summary, 'c.example');
    pass(8999);
    assert.equal(open.length, 1);
    pass(1);
    assert.equal(open.length, 2);
    assert.equal(notices.unseen, 3);
  });

  it('come again for other hosts when one was ignored, less and less often, but always', () => {
    const { notices, open, pass } = noticesUnderTest();
    const told: number[] = [];
    for (let second = 0; second < 3600; second += 1) {
      const before = open.length;
      notices.denied(summary, `${second}.example`);
      pass(0);
      if (open.length > before) told.push(second);
      pass(1000);
      if (open.length > before + (told.at(-1) === second ? 1 : 0)) told.push(second + 1);
    }
    assert.deepEqual(told.slice(0, 6), [0, 10, 30, 70, 150, 310]);
    assert.deepEqual(told.slice(6, 9), [610, 910, 1210]);
    assert.equal(open.length, told.length);
  });

  it('do not come later when somebody has looked meanwhile', async () => {
    const { notices, open, pass } = noticesUnderTest();
    notices.denied(summary, 'a.example');
    await close(open[0]);
    notices.denied(summary, 'b.example');
    notices.lookedAt();
    pass(3_600_000);
    assert.equal(open.length, 1);
  });

  it('do not come for a host that is kept denied', () => {
    const { notices, open } = noticesUnderTest({ keptDenied: 'a.example' });
    notices.denied(summary, 'a.example');
    assert.equal(open.length, 0);
    assert.equal(notices.unseen, 0);
  });

  it('do not come while somebody looks', () => {
    const { notices, open } = noticesUnderTest({ isLookedAt: true });
    notices.denied(summary, 'a.example');
    assert.equal(open.length, 0);
    assert.equal(notices.unseen, 0);
  });

  it('count from none again when somebody has looked', () => {
    const { notices } = noticesUnderTest();
    notices.denied(summary, 'a.example');
    notices.lookedAt();
    assert.equal(notices.unseen, 0);
    notices.denied(summary, 'a.example');
    assert.equal(notices.unseen, 0);
    notices.denied(summary, 'b.example');
    assert.equal(notices.unseen, 1);
  });

  it('remember at most 1000 hosts of a sandbox, however many names an agent makes up', () => {
    const { notices } = noticesUnderTest();
    for (let host = 0; host < 5000; host += 1) {
      notices.denied(summary, `${host}.example`);
    }
    assert.equal(notices.unseen, 1000);
  });
});
