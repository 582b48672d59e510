import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { keyFilters, withoutKey } from '../../../src/gateway/keyEcho';
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

  it('gives no part of the key when that comes in pieces, however they are cut', async () => {
    for (const cut of [1, 9, key.length - 1]) {
      const { said, hasFailed } = await filtered(['…', key.slice(0, cut), key.slice(cut), '…'], true, key);
      assert.deepEqual([said, hasFailed], ['…', true]);
    }
  });

  it('lets through what only begins like the key, and what is too short to be one', async () => {
    const pieces = [`${key.slice(0, 9)}`, 's', 'k', `-${key.slice(0, 5)}`];
    assert.deepEqual(await filtered(pieces, true, key), { said: pieces.join(''), hasFailed: false });
    for (const short of ['none', undefined]) {
      assert.deepEqual(await filtered(['none'], true, short), { said: 'none', hasFailed: false });
    }
  });

  it('is looked for at the beginning of what is no error: streams are long', async () => {
    const pieces = ['x'.repeat(70_000), key];
    assert.deepEqual(await filtered(pieces, false, key), { said: pieces.join(''), hasFailed: false });
    assert.deepEqual(await filtered(pieces, true, key), { said: pieces[0], hasFailed: true });
  });

  it('loses the headers that have it', () => {
    assert.deepEqual(withoutKey(['A', '1', 'B', `x ${key}`, 'C', '2'], key), ['A', '1', 'C', '2']);
  });
});

/** What comes out of a filter of answers, and whether it broke off. */
async function filtered(
  pieces: readonly string[],
  isError: boolean,
  wanted: string | undefined,
): Promise<{ said: string; hasFailed: boolean }> {
  let said = '';
  let echoes = 0;
  const [filter = new PassThrough()] = keyFilters(wanted, isError, () => (echoes += 1));
  filter.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = finished(filter).then(
    () => false,
    () => true,
  );
  for (const piece of pieces) filter.write(piece);
  filter.end();
  const hasFailed = await ended;
  assert.equal(echoes, hasFailed ? 1 : 0);
  return { said, hasFailed };
}
