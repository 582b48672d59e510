import assert from 'node:assert/strict';
import type { Finding } from '../../../src/guard/finding';
import type { Mark } from '../../../src/guard/mark';
import { mergeStates } from '../../../src/guard/mergeStates';

const mark = (identity: string, content = identity): Mark => ({
  ...{ rule: 'build', kind: 'file', identity, content },
});
const finding = (path: string, identity: string, changes: Partial<Finding> = {}): Finding => ({
  ...{ path, change: 'new', mark: mark(identity), foundAt: 1 },
  ...changes,
});
const none = { marks: {}, findings: [] };

describe('what two windows know', () => {
  it('is all that either has learnt or found since', () => {
    const merged = mergeStates(
      { marks: { a: mark('1'), b: mark('1') }, findings: [] },
      { marks: { a: mark('2'), b: mark('1') }, findings: [finding('x', '1')] },
      { marks: { a: mark('1'), c: mark('1') }, findings: [finding('y', '1')] },
    );
    assert.deepEqual(merged.marks, { a: mark('2'), c: mark('1') });
    assert.deepEqual(merged.findings.map(({ path }) => path).sort(), ['x', 'y']);
  });

  it('is without what either has answered, though the other one found it at another time', () => {
    const base = { marks: {}, findings: [finding('x', '1'), finding('y', '1')] };
    const mine = { marks: { x: mark('1') }, findings: [finding('y', '1')] };
    const touched = { ...mark('2'), content: '1' };
    const theirs = {
      marks: { y: mark('1') },
      findings: [finding('x', '1', { foundAt: 5, mark: touched })],
    };
    assert.deepEqual(mergeStates(base, mine, theirs), {
      marks: { x: mark('1'), y: mark('1') },
      findings: [],
    });
  });

  it('is without what the other one answered before it was found here', () => {
    const theirs = { marks: { x: mark('1') }, findings: [] };
    assert.deepEqual(mergeStates(none, { marks: {}, findings: [finding('x', '1')] }, theirs), theirs);
  });

  it('is with what has changed again after an answer', () => {
    const base = { marks: {}, findings: [finding('x', '1')] };
    const theirs = { marks: {}, findings: [finding('x', '2')] };
    const merged = mergeStates(base, { marks: { x: mark('1') }, findings: [] }, theirs);
    assert.deepEqual(merged, { marks: { x: mark('1') }, findings: [finding('x', '2')] });
  });
});
