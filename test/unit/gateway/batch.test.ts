import assert from 'node:assert/strict';
import { Batch } from '../../../src/gateway/batch';
import { waitUntil } from '../../support/waitUntil';

describe('Batch', () => {
  it('tells the latest of each together, and then what comes later', async () => {
    const told: (readonly { id: number; text: string }[])[] = [];
    const batch = new Batch<{ id: number; text: string }>((items) => told.push(items));
    batch.add({ id: 1, text: 'a' });
    batch.add({ id: 2, text: 'b' });
    batch.add({ id: 1, text: 'c' });
    assert.deepEqual(told, []);
    await waitUntil('it is told', () => told.length === 1);
    batch.add({ id: 3, text: 'd' });
    await waitUntil('it is told', () => told.length === 2);
    assert.deepEqual(told, [
      [
        { id: 1, text: 'c' },
        { id: 2, text: 'b' },
      ],
      [{ id: 3, text: 'd' }],
    ]);
  });

  it('keeps the last of very many', async () => {
    const told: (readonly { id: number }[])[] = [];
    const batch = new Batch<{ id: number }>((items) => told.push(items));
    for (let id = 1; id <= 100_000; id += 1) batch.add({ id });
    await waitUntil('it is told', () => told.length === 1);
    assert.equal(told[0]?.length, 500);
    assert.equal(told[0].at(-1)?.id, 100_000);
  });
});
