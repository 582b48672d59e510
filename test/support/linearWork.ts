import assert from 'node:assert/strict';

/** So much longer than another text of the same length may one take that is made to cost much. */
const mostTimes = 20;
/** What is shorter says nothing on a busy computer. */
const leastMilliseconds = 2;

/**
 * Asserts that a text which is made to cost much costs about as much as another one of the same length. For texts of
 * some ten thousand units: a pattern that tries every place anew takes hundreds of milliseconds for them.
 */
export function assertNoSlower(work: (text: string) => void, made: string, usual: string): void {
  assert.equal(made.length, usual.length);
  const [madeTime, usualTime] = [made, usual].map((text) => leastTimeOf(() => work(text))) as [
    number,
    number,
  ];
  const most = mostTimes * Math.max(usualTime, leastMilliseconds);
  assert.ok(madeTime < most, `${madeTime} ms, against ${usualTime} ms for a usual text`);
}

function leastTimeOf(work: () => void): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const started = performance.now();
      work();
      return performance.now() - started;
    }),
  );
}
