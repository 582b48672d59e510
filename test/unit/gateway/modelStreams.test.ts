import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { waitUntil } from '../../support/waitUntil';
import {
  ask,
  endServersAfterEach,
  head,
  open,
  openRaw,
  startGateway,
  startUpstream,
} from './modelGatewayUnderTest';

const event = (text: string): string => `data: ${text}\n\n`;
const eventStream = { 'content-type': 'text/event-stream' };

describe('the model gateway streams', () => {
  endServersAfterEach();

  it('the head at once, and each piece before the next one is there', async () => {
    let answering: ServerResponse | undefined;
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, eventStream).flushHeaders();
      answering = response;
    });
    const { port } = await startGateway({ port: upstream.port });
    const answer = await open(port);
    assert.equal(answer.headers['content-type'], 'text/event-stream');
    for (const text of ['one', 'two', 'three']) {
      answering?.write(event(text));
      const [piece] = (await once(answer, 'data')) as [Buffer];
      assert.equal(piece.toString(), event(text));
    }
    answering?.end();
    await once(answer, 'end');
  });

  it('compressed answers byte by byte, for which it does not ask', async () => {
    const packed = gzipSync(Buffer.alloc(100_000, 'model '));
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    });
    const { port } = await startGateway({ port: upstream.port });
    const answer = await ask(port, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.ok(answer.body.equals(packed));
    assert.equal(upstream.seen[0]?.headers['accept-encoding'], 'identity');
  });

  it('a request of 20 MB up and an answer of 20 MB down', async () => {
    const big = Buffer.alloc(20 * 1024 * 1024, 'ab\u00e9');
    const upstream = await startUpstream(
      (incoming, response) => void buffer(incoming).then((all) => response.end(all)),
    );
    const { port } = await startGateway({ port: upstream.port });
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await ask(port, { body: big, headers });
      assert.ok(answer.body.equals(big));
    }
    assert.deepEqual(
      upstream.seen.map(({ headers }) => headers['content-length'] ?? headers['transfer-encoding']),
      [String(big.length), 'chunked'],
    );
  });

  it('a body only after 100 Continue was said, when the client waits for that', async () => {
    const upstream = await startUpstream(
      (incoming, response) => void buffer(incoming).then((all) => response.end(all)),
    );
    const { port } = await startGateway({ port: upstream.port });
    const request = head(
      'POST /p/responses HTTP/1.1',
      'Expect: 100-continue',
      'Content-Length: 5',
      'Connection: close',
    );
    const raw = openRaw(port, request);
    await waitUntil('100 Continue', () => raw.text().includes('HTTP/1.1 100 Continue'));
    raw.socket.write('hello');
    assert.match(await raw.closed, /HTTP\/1\.1 200 OK[^]*hello/);
    assert.equal(upstream.seen[0]?.headers.expect, undefined);
  });

  it('no further when the client leaves: the model is told at once', async () => {
    const answering: ServerResponse[] = [];
    const upstream = await startUpstream((incoming, response) => {
      answering.push(response);
      if (incoming.url?.endsWith('completions')) response.writeHead(200, eventStream).write(event('one'));
    });
    const { port, healths } = await startGateway({ port: upstream.port });
    const answer = await open(port);
    const [during] = answering;
    assert.ok(during);
    answer.destroy();
    await once(during, 'close');
    // before there is an answer as well
    const raw = openRaw(port, head('POST /p/responses HTTP/1.1', 'Content-Length: 0'));
    const before = await waitUntil('the request came', () => answering[1]);
    raw.socket.destroy();
    await once(before, 'close');
    assert.ok(
      healths.every(({ state }) => state === 'reachable'),
      JSON.stringify(healths),
    );
  });

  it('a break as a break: what is missing is not taken for the end', async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, eventStream);
      response.write(event('one'), () => response.destroy());
    });
    const { port, healths } = await startGateway({ port: upstream.port });
    const answer = await open(port);
    await assert.rejects(buffer(answer), { code: 'ECONNRESET' });
    await waitUntil('it is told', () => healths.at(-1)?.state === 'silent');
    assert.equal(healths.at(-1)?.seconds, undefined);
    const raw = openRaw(port, head('POST /p/responses HTTP/1.1', 'Content-Length: 0'));
    assert.doesNotMatch(await raw.closed, /0\r\n\r\n$/);
  });

  it('answers that end with the connection, as old servers send them', async () => {
    const upstream = await startUpstream(() => undefined);
    upstream.server.removeAllListeners('request');
    upstream.server.on('request', (incoming: IncomingMessage) => {
      incoming.socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nthe end');
    });
    const { port } = await startGateway({ port: upstream.port });
    assert.equal((await ask(port)).body.toString(), 'the end');
  });

  it('nothing while the model is silent, tells so again and again, and tells when it goes on', async () => {
    let answering: ServerResponse | undefined;
    const upstream = await startUpstream((_, response) => (answering = response));
    const { port, healths } = await startGateway({ port: upstream.port }, { silentMilliseconds: 100 });
    const answer = open(port);
    const silences = () => healths.filter(({ state }) => state === 'silent');
    await waitUntil('two silences', () => silences().length >= 2);
    answering?.writeHead(200, eventStream).write(event('one'));
    const [piece] = (await once(await answer, 'data')) as [Buffer];
    assert.equal(piece.toString(), event('one'));
    assert.equal(healths.at(-1)?.state, 'reachable');
    const before = silences().length;
    await waitUntil('a silence in the stream', () => silences().length > before);
    answering?.end(event('two'));
    assert.equal((await buffer(await answer)).toString(), event('two'));
    assert.equal(healths.at(-1)?.state, 'reachable');
  });

  it('no faster than the client reads, and calls that no silence', async () => {
    const piece = Buffer.alloc(64 * 1024);
    let sent = 0;
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200);
      const more = (): void => {
        do sent += piece.length;
        while (response.write(piece));
      };
      response.on('drain', more);
      more();
    });
    const { port, healths } = await startGateway({ port: upstream.port }, { silentMilliseconds: 100 });
    const answer = await open(port);
    answer.pause();
    let last = -1;
    await waitUntil('the model waits', () => {
      const isStill = last === sent;
      last = sent;
      return isStill;
    });
    // what the buffers of four sockets and the kernel hold; without back-pressure it grows without end
    assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were sent to a client that reads none`);
    await waitUntil('another look', () => last === sent);
    assert.ok(healths.every(({ state }) => state !== 'silent'));
    const before = sent;
    answer.resume();
    await waitUntil('it goes on', () => sent > before + 8 * 1024 * 1024);
    answer.destroy();
  });

  it('no faster than the model reads', async () => {
    let reading: IncomingMessage | undefined;
    const upstream = await startUpstream((incoming) => (reading = incoming.pause()));
    const { port } = await startGateway({ port: upstream.port });
    const size = 60 * 1024 * 1024;
    const raw = openRaw(port, head('POST /p/responses HTTP/1.1', `Content-Length: ${size}`));
    const written = new Promise((resolve) => raw.socket.write(Buffer.alloc(size), resolve));
    const state = await Promise.race([
      written.then(() => 'written'),
      waitUntil('the request came', () => reading).then(async (incoming) => {
        let last = -1;
        await waitUntil('the client waits', () => {
          const isStill = last === raw.socket.bytesWritten - raw.socket.writableLength;
          last = raw.socket.bytesWritten - raw.socket.writableLength;
          return isStill;
        });
        assert.equal(raw.socket.writableNeedDrain, true);
        incoming.resume();
        return 'waited';
      }),
    ]);
    assert.equal(state, 'waited');
    await written;
  });

  it('200 answers at the same time, each whole and its own', async () => {
    const pieces = 20;
    const waiting: (() => void)[] = [];
    const upstream = await startUpstream((incoming, response) => {
      response.writeHead(200, eventStream).flushHeaders();
      waiting.push(() => {
        for (let index = 0; index < pieces; index++)
          response.write(event(`${String(incoming.headers['x-number'])} ${index}`));
        response.end();
      });
    });
    const { port } = await startGateway({ port: upstream.port });
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    const answers = Promise.all(
      numbers.map((number) => ask(port, { headers: { 'x-number': String(number) } })),
    );
    await waitUntil('all are open', () => waiting.length === numbers.length);
    waiting.forEach((send) => send());
    (await answers).forEach(({ body }, number) => {
      const expected = Array.from({ length: pieces }, (_, index) => event(`${number} ${index}`)).join('');
      assert.equal(body.toString(), expected);
    });
  });

  it('over connections that are kept, and takes a new one when the model has closed its own', async () => {
    let connections = 0;
    const upstream = await startUpstream((_, response) => response.end('x'));
    const { port, healths } = await startGateway({ port: upstream.port });
    await waitUntil('the check is over', () => healths.length > 0);
    upstream.server.on('connection', () => connections++);
    for (let index = 0; index < 5; index++) await ask(port);
    assert.equal(connections, 1);
    upstream.server.closeIdleConnections();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await ask(port)).body.toString(), 'x');
    assert.equal(connections, 2);
  });

  it('nothing any more after it was closed: both sides end', async () => {
    let left: Promise<unknown> | undefined;
    const upstream = await startUpstream((_, response) => {
      left = once(response, 'close');
      response.writeHead(200, eventStream).write(event('one'));
    });
    const gateway = await startGateway({ port: upstream.port });
    const answer = await open(gateway.port);
    const rest = assert.rejects(buffer(answer));
    await gateway.close();
    await rest;
    await left;
    await assert.rejects(ask(gateway.port), { code: 'ECONNREFUSED' });
  });
});
