import assert from 'node:assert/strict';
import { readLimits } from '../../../../src/ui/models/modelLimits';

describe('readLimits', () => {
  it('reads two numbers, or nothing', () => {
    assert.deepEqual(readLimits('131072 / 8192'), { context: 131072, output: 8192 });
    assert.deepEqual(readLimits('131072,8192'), { context: 131072, output: 8192 });
    assert.deepEqual(readLimits('131072 8192'), { context: 131072, output: 8192 });
    assert.deepEqual(readLimits('  '), {});
  });

  it('takes nothing else', () => {
    for (const text of [
      '131072',
      '8192/131072',
      '0/0',
      '5/0',
      '-1/5',
      '1e5/5',
      'a/b',
      '999999999/1',
      '1/2/3',
    ]) {
      assert.equal(readLimits(text), undefined, text);
    }
  });
});
