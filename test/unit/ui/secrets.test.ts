import assert from 'node:assert/strict';
import { Secrets } from '../../../src/ui/secrets';

const shared = 'https://models.example.org/v1';
const local = 'http://127.0.0.1:8000/v1';

/** The secrets of two machines that one window reaches, over the storage of that window. */
function secretsUnderTest(): { laptop: Secrets; cluster: Secrets } {
  const stored = new Map<string, string>();
  const storage = {
    get: (name: string) => Promise.resolve(stored.get(name)),
    store: (name: string, value: string) => Promise.resolve(void stored.set(name, value)),
    delete: (name: string) => Promise.resolve(void stored.delete(name)),
    keys: () => Promise.resolve([...stored.keys()]),
  };
  return { laptop: new Secrets(storage, 'aa'), cluster: new Secrets(storage, 'bb') };
}

describe('the keys for servers of models', () => {
  it('are common to all machines for an address that leads to the same server from each', async () => {
    const { laptop, cluster } = secretsUnderTest();
    await laptop.setModelKey(shared, 'sk-shared');
    assert.equal(await cluster.modelKey(shared), 'sk-shared');
  });

  it('are of one machine for an address that is another server on each', async () => {
    const { laptop, cluster } = secretsUnderTest();
    await laptop.setModelKey(local, 'sk-laptop');
    assert.equal(await cluster.modelKey(local), undefined);
    await cluster.setModelKey(local, 'sk-cluster');
    assert.equal(await laptop.modelKey(local), 'sk-laptop');
  });

  it('are listed without those of other machines, and removed without them', async () => {
    const { laptop, cluster } = secretsUnderTest();
    await laptop.setModelKey(shared, 'sk-shared');
    await laptop.setModelKey(local, 'sk-laptop');
    assert.deepEqual(await laptop.modelAddresses(), [local, shared]);
    assert.deepEqual(await cluster.modelAddresses(), [shared]);
    await cluster.removeModelKey(local);
    assert.equal(await laptop.modelKey(local), 'sk-laptop');
  });
});
