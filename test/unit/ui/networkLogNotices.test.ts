import assert from 'node:assert/strict';
import { NetworkNotices } from '../../../src/ui/networkLogNotices';
import { restrictedSandbox } from '../../support/networkEntries';

const { summary } = restrictedSandbox();

/** Notices with a clock that the test sets, and notifications that the test closes. */
function noticesUnderTest(options: { keptDenied?: string; isLookedAt?: boolean } = {}): {
  notices: NetworkNotices;
  clock: { now: number };
  open: (() => void)[];
} {
  const clock = { now: 0 };
  const open: (() => void)[] = [];
  const notices = new NetworkNotices({
    isKeptDenied: (_workspace, host) => host === options.keptDenied,
    isLookedAt: () => options.isLookedAt === true,
    notify: () => new Promise<void>((resolve) => open.push(resolve)),
    now: () => clock.now,
  });
  return { notices, clock, open };
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

  it('are one for many hosts in a burst, with all of them counted', async () => {
    const { notices, clock, open } = noticesUnderTest();
    for (let host = 0; host < 50; host += 1) {
      notices.denied(summary, `${host}.example`);
    }
    assert.equal(open.length, 1);
    assert.equal(notices.unseen, 50);
    await close(open[0]);
    clock.now = 9999;
    notices.denied(summary, 'early.example');
    assert.equal(open.length, 1);
    clock.now = 10_000;
    notices.denied(summary, 'late.example');
    assert.equal(open.length, 2);
    assert.equal(notices.unseen, 52);
  });

  it('are never two at a time', () => {
    const { notices, clock, open } = noticesUnderTest();
    notices.denied(summary, 'a.example');
    clock.now = 3_600_000;
    notices.denied(summary, 'b.example');
    assert.equal(open.length, 1);
    assert.equal(notices.unseen, 2);
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
