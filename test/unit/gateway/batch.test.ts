import assert from 'node:assert/strict';
import { Batch } from '../../../src/gateway/batch';
import type { NetworkEntry } from '../../../src/gateway/gateway';
import { waitUntil } from '../../support/waitUntil';

const entry = (id: number, host: string, verdict: NetworkEntry['verdict'] = 'allowed'): NetworkEntry => ({
  ...{ id, time: 0, host, port: 443, kind: 'tunnel', verdict, bytesSent: 0, bytesReceived: 0 },
});

describe('Batch', () => {
  let told: (readonly NetworkEntry[])[];
  let batch: Batch;
  beforeEach(() => {
    told = [];
    batch = new Batch((items) => told.push(items));
  });

  it('tells the latest of each together, and then what comes later', async () => {
    batch.add(entry(1, 'a'));
    batch.add(entry(2, 'b'));
    batch.add(entry(1, 'c'));
    assert.deepEqual(told, []);
    await waitUntil('it is told', () => told.length === 1);
    batch.add(entry(3, 'd'));
    await waitUntil('it is told', () => told.length === 2);
    assert.deepEqual(told, [[entry(1, 'c'), entry(2, 'b')], [entry(3, 'd')]]);
  });

  it('keeps the last of very many that were denied', async () => {
    for (let id = 1; id <= 5000; id += 1) batch.add(entry(id, `host${id}`, 'denied'));
    await waitUntil('it is told', () => told.length === 1);
    assert.equal(told[0]?.length, 500);
    assert.equal(told[0].at(-1)?.id, 5000);
  });

  it('leaves out nothing that could carry data out, nor a host that was denied once', async () => {
    batch.add(entry(1, 'upload.example'));
    batch.add({ ...entry(2, 'broken.example', 'failed'), bytesSent: 7 });
    batch.add(entry(3, 'once.example', 'denied'));
    for (let id = 4; id <= 3000; id += 1) batch.add(entry(id, 'noise.example', 'denied'));
    await waitUntil('it is told', () => told.length === 1);
    assert.deepEqual(
      told[0]?.slice(0, 4).map(({ host }) => host),
      ['upload.example', 'broken.example', 'once.example', 'noise.example'],
    );
    assert.equal(told[0]?.at(-1)?.id, 3000);
  });
});
