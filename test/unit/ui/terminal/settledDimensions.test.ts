import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Dimensions } from '../../../../src/supervisor/protocol';
import { SettledDimensions } from '../../../../src/ui/terminal/settledDimensions';

describe('SettledDimensions', () => {
  it('waits for the last of several sizes', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const dimensions = new SettledDimensions();
      const settled: Dimensions[] = [];
      const waiting = dimensions.settled().then((size) => settled.push(size));
      dimensions.update({ columns: 123, rows: 48 });
      mock.timers.tick(149);
      dimensions.update({ columns: 123, rows: 46 });
      mock.timers.tick(149);
      await Promise.resolve();
      assert.deepEqual(settled, []);
      mock.timers.tick(1);
      await waiting;
      assert.deepEqual(settled, [{ columns: 123, rows: 46 }]);
    } finally {
      mock.timers.reset();
    }
  });

  it('does not wait longer when the same size is reported again', async () => {
    const dimensions = new SettledDimensions();
    dimensions.update({ columns: 80, rows: 20 });
    const repeating = setInterval(() => dimensions.update({ columns: 80, rows: 20 }), 20);
    try {
      assert.deepEqual(await dimensions.settled(), { columns: 80, rows: 20 });
    } finally {
      clearInterval(repeating);
    }
  });

  it('gives the latest size to somebody who asks late', async () => {
    const dimensions = new SettledDimensions();
    dimensions.update({ columns: 80, rows: 20 });
    await dimensions.settled();
    dimensions.update({ columns: 80, rows: 21 });
    await dimensions.settled();
    assert.deepEqual(await dimensions.settled(), { columns: 80, rows: 21 });
  });

  it('takes the traditional size for a terminal that is not shown', async () => {
    const dimensions = new SettledDimensions();
    dimensions.update(undefined);
    assert.deepEqual(await dimensions.settled(), { columns: 80, rows: 24 });
  });

  it('takes the size of a terminal that is shown later', async () => {
    const dimensions = new SettledDimensions();
    dimensions.update(undefined);
    dimensions.update({ columns: 100, rows: 30 });
    assert.deepEqual(await dimensions.settled(), { columns: 100, rows: 30 });
  });
});
