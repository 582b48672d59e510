import assert from 'node:assert/strict';
import { Learning } from '../../../src/guard/learning';

describe('what is taken as known', () => {
  it('takes as much room as it takes when it is kept, whatever its names are written with', () => {
    for (const letter of ['a', 'é', '漢', '😀', '\u0001', '"']) {
      const path = letter.repeat(1000);
      const kept = Buffer.byteLength(JSON.stringify(path));
      const learning = new Learning(undefined, 100_000);
      let paths = 0;
      while (learning.takeRoomFor(path)) paths += 1;
      assert.ok(paths > 0 && paths * kept <= 100_000, `${paths} of ${kept} bytes`);
    }
  });
});
