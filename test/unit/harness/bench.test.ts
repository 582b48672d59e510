import assert from 'node:assert/strict';
import { readArguments } from '../../../scripts/bench/arguments';
import { movedSince, ratiosOf } from '../../../scripts/bench/compare';
import { table } from '../../../scripts/bench/table';
import { alternate, median, percentile95, ratioTo } from '../../bench/bench';

describe('npm run bench', () => {
  it('measures everything if nothing is said, or what is named', () => {
    assert.deepEqual(readArguments([], ['a', 'b']), { names: ['a', 'b'] });
    assert.deepEqual(readArguments(['--only', 'b', '--json', 'f'], ['a', 'b']), { names: ['b'], json: 'f' });
  });

  it('names the benches when one is misspelt', () => {
    assert.throws(() => readArguments(['--only', 'c'], ['a', 'b']), /"c".*a, b/);
  });

  it('shows what was measured, and whether that is what is wanted', () => {
    const figure = {
      name: 'x',
      unit: 'ms',
      values: { direct: 1.2345, lost: 0 },
      goal: 'little',
      isMet: false,
    };
    assert.equal(table([figure]), 'x [ms]\n  direct 1.23   lost 0   (NOT MET: little)');
  });

  it('takes the middle of numbers', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 2, 3]), 2.5);
  });

  it('measures both ways in turn, and not the first time of each', async () => {
    const order: string[] = [];
    const measured = (name: string) => () => Promise.resolve(order.push(name));
    const values = await alternate(measured('d'), measured('g'));
    assert.equal(order.join(''), 'dg'.repeat(10));
    assert.deepEqual(values.direct, [3, 5, 7, 9, 11, 13, 15, 17, 19]);
  });

  it('takes a ratio round by round, and the value below which 95 % are', () => {
    assert.equal(ratioTo([1, 10, 100], [2, 30, 200]), 2);
    assert.equal(percentile95(Array.from({ length: 100 }, (_, index) => 100 - index)), 95);
  });

  const figure = (values: Record<string, number>, name = 'x') => ({
    ...{ name, unit: 'ms', values, goal: '', isMet: true },
  });

  it('says what moved since an earlier result, and not what is noise or new', () => {
    const before = [figure({ plain: 1000, ours: 2000, xRatio: 2 }), figure({ lost: 0 }, 'y')];
    const now = [figure({ plain: 1050, ours: 1200, xRatio: 1.14, other: 1 }), figure({ lost: 3 }, 'y')];
    assert.deepEqual(movedSince(before, now), [
      'x, ours: 2000 ms → 1200 ms (−40 %)',
      'x, xRatio: 2.00 → 1.14 (−43 %)',
      'y, lost: 0.00 ms → 3.00 ms',
    ]);
    assert.deepEqual(movedSince([], now), []);
  });

  it('finds the ratios by their names', () => {
    assert.deepEqual(ratiosOf([figure({ plain: 1, xRatio: 2 }), figure({ yRatio: 3 }, 'y')]), {
      xRatio: 2,
      yRatio: 3,
    });
  });
});
