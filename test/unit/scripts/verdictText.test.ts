import assert from 'node:assert/strict';
import { finalVerdictLine, verdictLines } from '../../../scripts/try/verdictText';
import { message } from '../../../src/sandbox/message';
import { type Verdict, verdictLifetimeMilliseconds } from '../../../src/sandbox/verdict';

const verdict: Verdict = {
  state: 'isolated',
  network: 'none',
  lines: [{ fact: 'network', status: 'holds', detail: message('a \x1b[31mdetail') }],
  visiblePaths: [],
  time: 1_000_000,
};

describe('verdict as text', () => {
  it('says isolated of a verdict that says so, and what the network is', () => {
    assert.match(verdictLines(verdict)[0] ?? '', /^Sandbox: isolated, no network \(/);
    const restricted = verdictLines({ ...verdict, network: 'restricted' });
    assert.match(restricted[0] ?? '', /^Sandbox: isolated \(/);
    assert.match(verdictLines({ ...verdict, network: 'open' })[0] ?? '', /^Sandbox: isolated, network open/);
    assert.equal(verdictLines(verdict)[1], '  ✓ Network: a detail');
  });

  it('does not say isolated of anything else', () => {
    const notIsolated = [
      ...(['degraded', 'broken'] as const).flatMap((state) => verdictLines({ ...verdict, state })[0] ?? ''),
      finalVerdictLine(undefined, { reason: 'exited' }, verdict.time),
      finalVerdictLine(verdict, { reason: 'refused' }, verdict.time),
      finalVerdictLine(verdict, { reason: 'broken' }, verdict.time),
      finalVerdictLine(verdict, { reason: 'exited' }, verdict.time + verdictLifetimeMilliseconds + 1),
    ];
    assert.equal(notIsolated.length, 6);
    for (const line of notIsolated) {
      assert.doesNotMatch(line, /isolated/);
    }
  });

  it('ends with the last verdict while it counts', () => {
    assert.match(finalVerdictLine(verdict, { reason: 'exited' }, verdict.time + 1000), /isolated/);
  });
});
