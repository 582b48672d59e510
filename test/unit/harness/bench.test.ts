import assert from 'node:assert/strict';
import { readArguments } from '../../../scripts/bench/arguments';
import { table } from '../../../scripts/bench/table';
import { alternate, median } from '../../bench/bench';

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
});
