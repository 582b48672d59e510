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
const known = (marks: Readonly<Record<string, Mark>>): ReadonlyMap<string, Mark> =>
  new Map(Object.entries(marks));
const none = { marks: known({}), findings: [], unkept: 0 };

describe('what two windows know', () => {
  it('is all that either has learnt or found since', () => {
    const merged = mergeStates(
      { ...none, marks: known({ a: mark('1'), b: mark('1') }) },
      { ...none, marks: known({ a: mark('2'), b: mark('1') }), findings: [finding('x', '1')] },
      { marks: known({ a: mark('1'), c: mark('1') }), findings: [finding('y', '1')], unkept: 7 },
    );
    assert.deepEqual(merged.marks, known({ a: mark('2'), c: mark('1') }));
    assert.deepEqual(merged.findings.map(({ path }) => path).sort(), ['x', 'y']);
    assert.equal(merged.unkept, 7);
  });

  it('is without what either has answered, though the other one found it at another time', () => {
    const base = { ...none, findings: [finding('x', '1'), finding('y', '1')] };
    const mine = { ...none, marks: known({ x: mark('1') }), findings: [finding('y', '1')] };
    const touched = { ...mark('2'), content: '1' };
    const theirs = {
      ...none,
      marks: known({ y: mark('1') }),
      findings: [finding('x', '1', { foundAt: 5, mark: touched })],
    };
    assert.deepEqual(mergeStates(base, mine, theirs), {
      ...none,
      marks: known({ x: mark('1'), y: mark('1') }),
    });
  });

  it('is without what the other one answered before it was found here', () => {
    const theirs = { ...none, marks: known({ x: mark('1') }) };
    assert.deepEqual(mergeStates(none, { ...none, findings: [finding('x', '1')] }, theirs), theirs);
  });

  it('is with what has changed again after an answer', () => {
    const base = { ...none, findings: [finding('x', '1')] };
    const theirs = { ...none, findings: [finding('x', '2')] };
    const merged = mergeStates(base, { ...none, marks: known({ x: mark('1') }) }, theirs);
    assert.deepEqual(merged, { ...none, marks: known({ x: mark('1') }), findings: [finding('x', '2')] });
  });
});
