import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { EgressWorld, publicAddress } from './support/egressWorld';

describe('plain HTTP that two servers could read in two ways', () => {
  let world: EgressWorld;
  beforeEach(() => {
    world = new EgressWorld();
    world.name('allowed.example', [publicAddress]);
  });
  afterEach(() => world.close());

  const smuggled: [string, string][] = [
    [
      'Content-Length and Transfer-Encoding',
      'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX',
    ],
    [
      'Transfer-Encoding and Content-Length',
      'Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nX',
    ],
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a list of lengths', 'Content-Length: 1, 1\r\n\r\na'],
    ['a signed length', 'Content-Length: +1\r\n\r\na'],
    ['another coding', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['an unknown coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['the coding twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['identity as the last coding', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['another Host', 'Host: denied.example\r\n\r\n'],
    ['the same Host twice', 'Host: allowed.example\r\n\r\n'],
    ['a bare CR', 'X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a NUL', 'X: a\u0000b\r\n\r\n'],
    ['an upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    [
      'HTTP/2 by upgrade',
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n',
    ],
  ];
  for (const [what, rest] of smuggled) {
    it(`refuses ${what}, and the server sees no connection`, async () => {
      await world.serve(publicAddress, 80, createServer());
      await world.start({ allowedHosts: ['allowed.example'] });
      const answer = await world.exchange(
        `POST http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n${rest}`,
      );
      assert.match(answer, /^HTTP\/1.1 (400|501) /);
      assert.equal(answer.match(/HTTP\/1.1 /g)?.length, 1);
      assert.deepEqual([world.queries, world.connections], [[], []]);
    });
  }

  it('refuses a Host that differs from the URL by name or port, and a request without one', async () => {
    await world.start({ allowedHosts: ['allowed.example', 'other.example'] });
    for (const head of [
      ...[
        'Host: other.example',
        'Host: allowed.example:8080',
        'Host: user@allowed.example',
        'Host: ',
        'X: y',
      ],
      ...['Host: allowed.example/x', 'Host: allowed.example, other.example'],
    ]) {
      const answer = await world.exchange(`GET http://allowed.example/ HTTP/1.1\r\n${head}\r\n\r\n`);
      assert.match(answer, /^HTTP\/1.1 400 /, head);
    }
    assert.deepEqual([world.queries, world.connections], [[], []]);
  });

  const ambiguous: [string, string][] = [
    ['folded headers', 'X: a\r\n Transfer-Encoding: chunked\r\n\r\n'],
    ['bare line feeds', 'X: a\nContent-Length: 40\n\n'],
    ['a length behind a bare line feed', 'X: a\nContent-Length: 40\r\n\r\n'],
    ['a chunk with an extension', 'Transfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\n'],
    ['trailers', 'Transfer-Encoding: chunked\r\n\r\n0\r\nHost: denied.example\r\nX-Trailer: a\r\n\r\n'],
  ];
  for (const [what, rest] of ambiguous) {
    it(`refuses ${what}, or sends on what can be read in one way only`, async () => {
      const requests: string[] = [];
      await world.serve(
        publicAddress,
        80,
        createTcpServer((socket) => {
          socket.on('data', (chunk: Buffer) => requests.push(chunk.toString('latin1')));
          socket.on('error', () => undefined);
          setImmediate(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
        }),
      );
      await world.start({ allowedHosts: ['allowed.example'] });
      const answer = await world.exchange(
        `GET http://allowed.example/a HTTP/1.1\r\nHost: allowed.example\r\nConnection: close\r\n${rest}`,
        'GET http://allowed.example/smuggled HTTP/1.1\r\nHost: denied.example\r\n\r\n',
      );
      assert.match(answer, /^HTTP\/1.1 (400|200) /);
      const seen = requests.join('');
      assert.equal(seen.match(/^GET /gm)?.length ?? 0, answer.startsWith('HTTP/1.1 200') ? 1 : 0);
      assert.ok(!/[^\r]\n|\r\n[ \t]|;a=b|denied|X-Trailer|smuggled/.test(seen), JSON.stringify(seen));
    });
  }
});
