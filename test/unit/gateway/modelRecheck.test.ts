import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realEffects } from '../../../src/gateway/realEffects';
import { createModelGateway, type ModelGateway } from '../../../src/gateway/modelGateway';
import type { ModelHealth } from '../../../src/gateway/gateway';
import { waitUntil } from '../../support/waitUntil';
import { ask, key, token } from './modelGatewayUnderTest';

describe('a model that is not there', () => {
  let gateway: ModelGateway | undefined;
  afterEach(() => gateway?.close());

  const start = async (...ports: number[]): Promise<ModelHealth[]> => {
    const healths: ModelHealth[] = [];
    const upstreams = ports.map((port, index) => ({
      ...{
        providerId: `p${index}`,
        baseUrl: `http://127.0.0.1:${port}`,
        authentication: 'bearer' as const,
        key,
      },
    }));
    const onModel = (health: ModelHealth): number => healths.push(health);
    const limits = { recheckMilliseconds: 30 };
    gateway = await createModelGateway(
      { listen: 'loopback', token, upstreams },
      realEffects,
      { onModel },
      limits,
    );
    return healths;
  };

  it('is looked at again, until it is there, and then no more', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end('{"data":[]}');
    });
    server.listen(0, '127.0.0.1');
    await waitUntil('it listens', () => server.listening);
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const healths = await start(port);
    await waitUntil('it is known', () => healths.length === 1);
    server.listen(port, '127.0.0.1');
    await waitUntil('it is there', () => healths.at(-1)?.state === 'reachable');
    assert.equal(healths[0]?.state, 'refused');
    assert.equal(asked, 1);
    // what would look again has had its time three times
    await new Promise((resolve) => setTimeout(resolve, 90));
    assert.equal(asked, 1);
    server.close();
  });

  it('is no matter when it is not the first one, until the sandbox asks it', async () => {
    const healths = await start(1, 1);
    await waitUntil('the first is known', () => healths.length > 0);
    assert.equal((await ask(gateway?.port ?? 0, { path: '/p1/chat/completions' })).status, 502);
    assert.deepEqual([...new Set(healths.map(({ providerId }) => providerId))], ['p0', 'p1']);
    assert.equal(healths.filter(({ providerId }) => providerId === 'p1').length, 1);
  });
});
