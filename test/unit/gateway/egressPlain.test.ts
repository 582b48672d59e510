import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { waitUntil } from '../../support/waitUntil';
import { EgressWorld, publicAddress } from './support/egressWorld';

describe('plain HTTP through the egress proxy', () => {
  let world: EgressWorld;
  beforeEach(() => {
    world = new EgressWorld();
    world.name('allowed.example', [publicAddress]);
  });
  afterEach(() => world.close());

  /** A server that answers with what it has got. */
  const serveEcho = async (port = 80): Promise<IncomingMessage[]> => {
    const requests: IncomingMessage[] = [];
    const server = createServer((incoming, response) => {
      requests.push(incoming);
      response.writeHead(200, ['X-Twice', '1', 'X-Twice', '2', 'Connection', 'X-Hop', 'X-Hop', 'secret']);
      incoming.pipe(response);
    });
    await world.serve(publicAddress, port, server);
    return requests;
  };

  const ask = async (options: RequestOptions, body?: Buffer): Promise<IncomingMessage> => {
    const asking = request({ socketPath: world.socket, ...options });
    asking.end(body);
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    return answer;
  };

  it('reaches an allowed host with a request made anew, and logs it', async () => {
    const requests = await serveEcho();
    await world.start({ allowedHosts: ['allowed.example'] });
    const body = Buffer.alloc(1_000_000, 'ab');
    const headers = {
      ...{
        Host: 'ALLOWED.example:80',
        'X-Mine': ['a', 'b'],
        Connection: 'X-Mine-Too, host',
        'X-Mine-Too': 'x',
      },
      ...{ 'Proxy-Authorization': 'Basic eDp5', 'Proxy-Connection': 'keep-alive', TE: 'trailers' },
      ...{ 'Keep-Alive': 'timeout=5', 'Content-Length': String(body.length) },
    };
    const answer = await ask({ path: 'http://Allowed.Example./a?b=1', method: 'PUT', headers }, body);
    assert.deepEqual(
      createHash('md5')
        .update(await buffer(answer))
        .digest(),
      createHash('md5').update(body).digest(),
    );
    assert.deepEqual(answer.headersDistinct['x-twice'], ['1', '2']);
    assert.equal(answer.headers['x-hop'], undefined);
    const [seen] = requests as [IncomingMessage];
    assert.deepEqual([seen.method, seen.url], ['PUT', '/a?b=1']);
    assert.deepEqual(seen.rawHeaders, [
      ...['Host', 'allowed.example', 'X-Mine', 'a', 'X-Mine', 'b'],
      ...['Content-Length', String(body.length), 'Connection', 'close'],
    ]);
    const entry = await world.over();
    assert.deepEqual(
      [entry.host, entry.port, entry.kind, entry.verdict],
      ['allowed.example', 80, 'plain', 'allowed'],
    );
    assert.ok(entry.bytesSent > body.length && entry.bytesReceived > body.length);
    assert.equal(world.entries.length, 2);
  });

  it('keeps the framing of a body, and adds none', async () => {
    const requests = await serveEcho(8080);
    await world.start({ allowedHosts: ['allowed.example:8080'] });
    const url = 'http://allowed.example:8080/';
    const framed = async (options: RequestOptions, body?: Buffer): Promise<(string | undefined)[]> => {
      await text(await ask({ path: url, headers: { Host: 'allowed.example:8080' }, ...options }, body));
      const { headers } = requests.at(-1) as IncomingMessage;
      return [headers.host, headers['content-length'], headers['transfer-encoding']];
    };
    const host = 'allowed.example:8080';
    assert.deepEqual(await framed({}), [host, undefined, undefined]);
    assert.deepEqual(await framed({ method: 'DELETE' }), [host, undefined, undefined]);
    const chunked = { Host: host, 'Transfer-Encoding': 'chunked' };
    assert.deepEqual(await framed({ method: 'DELETE', headers: chunked }, Buffer.from('a')), [
      host,
      undefined,
      'chunked',
    ]);
    assert.deepEqual(await framed({ method: 'POST', headers: chunked }, Buffer.from('a')), [
      host,
      undefined,
      'chunked',
    ]);
    const empty = { Host: host, 'Content-Length': '0' };
    assert.deepEqual(await framed({ method: 'POST', headers: empty }), [host, '0', undefined]);
  });

  it('serves several requests on one connection, each judged for itself', async () => {
    await serveEcho();
    await world.start({ allowedHosts: ['allowed.example'] });
    const get = (host: string): string => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const answer = await world.exchange(
      get('allowed.example') + get('allowed.example') + get('denied.example'),
    );
    assert.deepEqual(answer.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 403']);
    assert.deepEqual(world.queries, ['allowed.example', 'allowed.example']);
  });

  it('answers HTTP/1.0 without Host', async () => {
    const requests = await serveEcho();
    await world.start({ allowedHosts: ['allowed.example'] });
    assert.match(await world.exchange('GET http://allowed.example/ HTTP/1.0\r\n\r\n'), /^HTTP\/1.1 200 /);
    assert.equal(requests[0]?.headers.host, 'allowed.example');
  });

  it('tells the agent to go on only when the host is allowed and connected', async () => {
    await serveEcho();
    await world.start({ allowedHosts: ['allowed.example'] });
    const post = (host: string): string =>
      `POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nContent-Length: 5\r\nConnection: close\r\n\r\n`;
    const client = world.connect();
    client.socket.write(post('allowed.example'));
    assert.match(await client.until('\r\n\r\n'), /^HTTP\/1.1 100 /);
    client.socket.write('hello');
    assert.match(await client.untilEnd(), /^HTTP\/1.1 200 .*hello/s);
    assert.match(await world.exchange(post('denied.example')), /^HTTP\/1.1 403 /);
  });

  it('gives the answer of a server that does not read the whole body', async () => {
    const server = createServer((_, response) =>
      response.writeHead(413, { Connection: 'close' }).end('too much'),
    );
    await world.serve(publicAddress, 80, server);
    await world.start({ allowedHosts: ['allowed.example'] });
    const client = world.connect();
    client.socket.write(
      'POST http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\nContent-Length: 99999999\r\n\r\nabc',
    );
    assert.match(await client.until('too much'), /^HTTP\/1.1 413 /);
  });

  it('hands a redirect to the agent and does not follow it', async () => {
    const server = createServer((_, response) =>
      response.writeHead(302, { Location: 'http://denied.example/' }).end(),
    );
    await world.serve(publicAddress, 80, server);
    await world.start({ allowedHosts: ['allowed.example'] });
    const answer = await ask({ path: 'http://allowed.example/', headers: { Host: 'allowed.example' } });
    assert.deepEqual([answer.statusCode, answer.headers.location], [302, 'http://denied.example/']);
    assert.deepEqual([world.queries, world.connections], [['allowed.example'], [`${publicAddress}:80`]]);
  });

  it('tells an answer that breaks off as such', async () => {
    const server = createTcpServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'));
    });
    await world.serve(publicAddress, 80, server);
    await world.start({ allowedHosts: ['allowed.example'] });
    const answer = await ask({ path: 'http://allowed.example/', headers: { Host: 'allowed.example' } });
    await assert.rejects(buffer(answer), { code: 'ECONNRESET' });
    const entry = await world.over();
    assert.deepEqual([entry.verdict, entry.reason], ['failed', 'broken']);
  });

  const brokenAnswers: [string, string][] = [
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['two framings', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nsecret'],
    ['too large a head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['nothing', ''],
    [
      'a question for a password of a proxy',
      'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n',
    ],
  ];
  for (const [what, bytes] of brokenAnswers) {
    it(`answers 502 when the server's answer is ${what}`, async () => {
      await world.serve(
        publicAddress,
        80,
        createTcpServer((socket) => {
          socket.on('error', () => undefined).once('data', () => socket.end(bytes));
        }),
      );
      await world.start({ allowedHosts: ['allowed.example'] });
      const answer = await world.exchange(
        'GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n',
      );
      assert.match(answer, /^HTTP\/1.1 502 /);
      assert.ok(!answer.includes('secret'));
      assert.equal((await world.over()).reason, 'broken');
    });
  }

  it('is not sent when its host is taken off the list in the moment of the connection', async () => {
    const server = await world.serveSilently(publicAddress, 80);
    const { connect } = world.effects;
    const proxy = await world.start({ allowedHosts: ['allowed.example'] }, (address, port) => {
      const socket = connect(address, port);
      // behind the listener of the proxy, so that it believes that it may go on
      process.nextTick(() => socket.once('connect', () => proxy.setAllowedHosts([])));
      return socket;
    });
    assert.match(
      await world.exchange('GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n'),
      /^HTTP\/1.1 403 /,
    );
    await waitUntil('the server lost its client', () => server.sockets[0]?.readableEnded);
    assert.equal(server.bytes().length, 0);
  });

  it('ends an open request when its host is taken off the list', async () => {
    await world.serve(
      publicAddress,
      80,
      createServer((_, response) => response.writeHead(200).write('begin')),
    );
    const proxy = await world.start({ allowedHosts: ['allowed.example'] });
    const client = world.connect();
    client.socket.write('GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n');
    await client.until('begin');
    proxy.setAllowedHosts([]);
    await client.untilEnd();
    await waitUntil('it is over', () => world.entries.length === 2);
  });

  for (const line of ['099 x', '600 x', '000 x']) {
    it(`gets 502 for a status that is none (${line})`, async () => {
      await world.serve(
        publicAddress,
        80,
        createTcpServer((socket) => {
          socket.on('error', () => undefined).end(`HTTP/1.1 ${line}\r\nContent-Length: 0\r\n\r\n`);
        }),
      );
      await world.start({ allowedHosts: ['allowed.example'] });
      const request = 'GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n';
      assert.match(await world.exchange(request), /^HTTP\/1.1 502 /);
      assert.equal((await world.over()).reason, 'broken');
    });
  }
});
