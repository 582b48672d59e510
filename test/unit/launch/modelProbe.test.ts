import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realEffects } from '../../../src/gateway/realEffects';
import { probeModel, type ModelProbe } from '../../../src/launch/modelProbe';

/** Asks a server that answers like this, with a key or without. */
async function probe(answer: RequestListener, key?: string): Promise<ModelProbe> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = { providerId: 'p', baseUrl: `http://127.0.0.1:${port}/v1` };
  try {
    return await probeModel(
      key === undefined
        ? { ...address, authentication: 'none' }
        : { ...address, authentication: 'bearer', key },
      { effects: realEffects },
      new AbortController().signal,
    );
  } finally {
    server.close();
  }
}

const list = JSON.stringify({ data: [{ id: 'm' }] });
const open: RequestListener = (_request, response) => void response.end(list);
const closed: RequestListener = ({ headers }, response) => {
  response.statusCode = headers.authorization === 'Bearer sk-right' ? 200 : 401;
  response.end(list);
};

describe('asking a server of models', () => {
  it('tests the key when the server wants one', async () => {
    const { health, models, isKeyTested } = await probe(closed, 'sk-right');
    assert.deepEqual([health.state, models, isKeyTested], ['reachable', ['m'], true]);
    const wrong = await probe(closed, 'sk-wrong');
    assert.deepEqual([wrong.health.state, wrong.isKeyTested], ['unauthorized', false]);
  });

  it('says that the key was not tested when the server lists its models without one', async () => {
    assert.equal((await probe(open, 'sk-any')).isKeyTested, false);
    assert.equal((await probe(open)).isKeyTested, false);
  });

  it('finds no list where there is none, and says nothing of the key', async () => {
    const { health, models, isKeyTested } = await probe((_request, response) => {
      response.statusCode = 404;
      response.end();
    }, 'sk-any');
    assert.deepEqual(
      [health.state, health.status, models, isKeyTested],
      ['reachable', 404, undefined, false],
    );
  });
});
