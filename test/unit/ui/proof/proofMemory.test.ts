import assert from 'node:assert/strict';
import { formatMessage } from '../../../../src/sandbox/message';
import { proofMessage, type RememberedProof } from '../../../../src/ui/proof/proofMemory';

const identity = { device: '1', inode: '2', size: '3', changedTime: '4' };
const time = Date.UTC(2026, 0, 1, 10, 42);
const proof: RememberedProof = { held: 62, judged: 62, time, image: { path: '/i.sif', identity } };
const hour = 60 * 60_000;

function text(...[remembered, images, present, now]: Parameters<typeof proofMessage>): string {
  return formatMessage(proofMessage(remembered, images, present, now));
}

describe('what is said of the last proof', () => {
  const notProven = 'Proof: not proven with this image in the last 24 hours';

  it('is how many held, and when', () => {
    assert.match(text(proof, ['/i.sif'], identity, time + hour), /^Proof: 62\/62 held, .*42/);
    assert.match(text(proof, [], identity, time + hour), /62\/62/);
  });

  it('is “not proven” without one, after a day, and before its time', () => {
    assert.equal(text(undefined, [], undefined, time), notProven);
    assert.equal(text(proof, [], identity, time + 24 * hour + 1), notProven);
    assert.equal(text(proof, [], identity, time - 1), notProven);
  });

  it('is “not proven” for another image, or one that was changed or is gone', () => {
    assert.equal(text(proof, ['/other.sif'], identity, time), notProven);
    assert.equal(text(proof, ['/i.sif', '/other.sif'], identity, time), notProven);
    assert.equal(text(proof, [], { ...identity, changedTime: '5' }, time), notProven);
    assert.equal(text(proof, [], undefined, time), notProven);
  });
});
