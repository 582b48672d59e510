import assert from 'node:assert/strict';
import { formatMessage, message } from '../../../src/sandbox/message';
import { brokenFact } from '../../../src/supervisor/sandboxEnds';
import { Verification } from '../../../src/supervisor/verification';
import { expectation } from '../../support/containerFacts';
import { verdictOf } from '../../support/fakeConnection';

describe('a sandbox that is verified', () => {
  it('is not known any more once nothing could be read five times in a row, and has no verdict then', () => {
    const verification = new Verification(expectation, 'none');
    for (let readings = 0; readings < 5; readings += 1) {
      assert.equal(verification.isBlind, false);
      // no container was met
      assert.equal(verification.verify('running'), undefined);
    }
    assert.equal(verification.isBlind, true);
    assert.equal(verification.verdict, undefined);
  });

  it('ends for the fact that is broken, not for one that was degraded before', () => {
    const lines = [
      { fact: 'network', status: 'holds', detail: message('as it should be') },
      { fact: 'hostPaths', status: 'degraded', detail: message('a bind is lost') },
      { fact: 'capabilities', status: 'broken', detail: message('has some') },
    ] as const;
    const reason = (shown: readonly (typeof lines)[number][]): string =>
      formatMessage(brokenFact(verdictOf({ lines: shown })));
    assert.equal(reason(lines), 'has some');
    assert.equal(reason(lines.slice(0, 2)), 'a bind is lost');
    assert.equal(formatMessage(brokenFact(undefined)), 'its facts could not be read');
  });
});
