import assert from 'node:assert/strict';
import { waitUntil } from '../../support/waitUntil';
import { endServersAfterEach, head, openRaw, startGateway, startUpstream } from './modelGatewayUnderTest';

describe('the silence of a model', () => {
  endServersAfterEach();

  it('is not told while the body of a request is not finished, and is taken back when the client leaves', async () => {
    const upstream = await startUpstream((incoming) => incoming.resume());
    const { port, healths } = await startGateway({ port: upstream.port }, { silentMilliseconds: 20 });
    await waitUntil('the check is over', () => healths.length > 0);
    const raw = openRaw(port, head('POST /p/responses HTTP/1.1', 'Content-Length: 10') + '12345');
    await waitUntil('the request came', () => upstream.seen.length === 1);
    // a silence would have been told ten times
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.ok(
      healths.every(({ state }) => state === 'reachable'),
      JSON.stringify(healths),
    );
    raw.socket.write('67890');
    await waitUntil('a silence after it', () => healths.at(-1)?.state === 'silent');
    raw.socket.destroy();
    await waitUntil(
      'what was known before is told when the client has left',
      () => healths.at(-1)?.state === 'reachable',
    );
  });
});
