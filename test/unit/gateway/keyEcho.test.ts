import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { keyFilter, withoutKey } from '../../../src/gateway/keyEcho';
import {
  ask,
  endServersAfterEach,
  head,
  openRaw,
  startGateway,
  startUpstream,
} from './modelGatewayUnderTest';

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

  it('gives nothing of what comes behind the key, not even what comes in the same moment', async () => {
    const chunks = [`before${key.slice(0, 9)}`, key.slice(9), 'behind', 'further behind'];
    const answer = [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      ...chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`),
      '0\r\n\r\n',
    ];
    const upstream = await startUpstream(({ socket }) => socket.end(answer.join('')));
    const { port, healths } = await startGateway({ port: upstream.port, key });
    const request = head('POST /p/responses HTTP/1.1', 'Content-Length: 0', 'Connection: close');
    const said = await openRaw(port, request).closed;
    assert.ok(!said.includes('behind') && !said.includes(key.slice(0, 9)), said);
    assert.equal(healths.at(-1)?.state, 'failing');
  });

  it('gives no part of the key when that comes in pieces, however they are cut', () => {
    for (const cut of [1, 9, key.length - 1]) {
      const said = filtered(['…', key.slice(0, cut), key.slice(cut)], key);
      assert.deepEqual(said, { said: '…', isFound: true });
    }
  });

  it('lets through what only begins like the key, and what is too short to be one', () => {
    const pieces = [`${key.slice(0, 9)}`, 's', 'k', `-${key.slice(0, 5)}`];
    assert.deepEqual(filtered(pieces, key), { said: pieces.join(''), isFound: false });
    for (const short of ['none', undefined]) {
      assert.deepEqual(filtered(['none'], short), { said: 'none', isFound: false });
    }
  });

  it('is found out when the answer ends within the key', async () => {
    const most = key.slice(0, -1);
    for (const part of [most, key.slice(0, key.length / 2 + 1)])
      assert.deepEqual(filtered(['…', part], key), { said: '…', isFound: true });
    const upstream = await startUpstream((_, response) => response.end(`You sent ${most}`));
    const { port, healths } = await startGateway({ port: upstream.port, key });
    const said = await ask(port).then(
      ({ body }) => body.toString(),
      (error: unknown) => String(error),
    );
    assert.ok(!said.includes('sk-'), said);
    assert.equal(healths.at(-1)?.state, 'failing');
  });

  it('is found out however late it does so', () => {
    const pieces = Array.from({ length: 20 }, () => 'x'.repeat(64 * 1024));
    assert.deepEqual(filtered([...pieces, key], key), { said: pieces.join(''), isFound: true });
  });

  it('loses the headers that have it', () => {
    assert.deepEqual(withoutKey(['A', '1', 'B', `x ${key}`, 'C', '2'], key), ['A', '1', 'C', '2']);
  });
});

/** What comes out of a filter of answers until it finds the key. */
function filtered(pieces: readonly string[], wanted: string | undefined): { said: string; isFound: boolean } {
  const filter = keyFilter(wanted);
  const said: Buffer[] = [];
  for (const piece of pieces) {
    const text = filter.pass(Buffer.from(piece));
    if (text === undefined) return { said: Buffer.concat(said).toString(), isFound: true };
    said.push(text);
  }
  const rest = filter.rest();
  return { said: Buffer.concat([...said, ...(rest ? [rest] : [])]).toString(), isFound: rest === undefined };
}
