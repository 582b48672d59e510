import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { keyEcho, withoutKey } from '../../../src/gateway/keyEcho';
import { ask, endServersAfterEach, startGateway, startUpstream } from './modelGatewayUnderTest';

const key = 'sk-A-KEY-THAT-NOBODY-MUST-SEE';

describe('a model that repeats the request in its answer', () => {
  endServersAfterEach();

  for (const status of [200, 401, 500]) {
    it(`does not give the agent the key with ${status}: the answer breaks off before it`, async () => {
      const upstream = await startUpstream((incoming, response) => {
        response.writeHead(status, { 'X-Request': `Authorization ${incoming.headers.authorization}` });
        response.end(`You sent: ${JSON.stringify(incoming.headers)}`);
      });
      const { port, healths } = await startGateway({ port: upstream.port, key });
      const said = await ask(port).then(
        ({ headers, body }) => `${JSON.stringify(headers)} ${body.toString()}`,
        (error: unknown) => String(error),
      );
      assert.equal(upstream.seen[0]?.headers.authorization, `Bearer ${key}`);
      assert.ok(!said.includes(key), said);
      assert.equal(healths.at(-1)?.state, 'failing');
    });
  }

  it('is found out also when it compresses what it is asked to compress, as the agent asks', async () => {
    const upstream = await startUpstream(({ headers }, response) => {
      const said = JSON.stringify(headers);
      if (!/gzip/.test(headers['accept-encoding'] ?? '')) return response.writeHead(401).end(said);
      return response.writeHead(401, { 'Content-Encoding': 'gzip' }).end(gzipSync(said));
    });
    const { port } = await startGateway({ port: upstream.port, key });
    const said = await ask(port, { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } }).then(
      ({ headers, body }) => (headers['content-encoding'] ? gunzipSync(body) : body).toString(),
      (error: unknown) => String(error),
    );
    assert.ok(!said.includes(key), said);
  });

  it('is found out when the key comes in two pieces, and in no key that is too short to be one', () => {
    const repeats = keyEcho(key, true);
    assert.deepEqual(
      [`…${key.slice(0, 9)}`, `${key.slice(9)}…`].map((text) => repeats(Buffer.from(text))),
      [false, true],
    );
    assert.equal(keyEcho('none', true)(Buffer.from('none')), false);
    assert.equal(keyEcho(undefined, true)(Buffer.from('none')), false);
  });

  it('is looked for at the beginning of what is no error: streams are long', () => {
    const [stream, error] = [keyEcho(key, false), keyEcho(key, true)];
    for (const repeats of [stream, error]) assert.equal(repeats(Buffer.alloc(70_000, 'x')), false);
    assert.deepEqual([stream(Buffer.from(key)), error(Buffer.from(key))], [false, true]);
  });

  it('loses the headers that have it', () => {
    assert.deepEqual(withoutKey(['A', '1', 'B', `x ${key}`, 'C', '2'], key), ['A', '1', 'C', '2']);
  });
});
