import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { realEffects } from '../../../src/gateway/realEffects';
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

describe('the connections to the model gateway', () => {
  endServersAfterEach();

  it('end after a CONNECT, though the client keeps its side open', async () => {
    const gateway = await startGateway({ port: 1 });
    const client = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    client.on('error', () => undefined).on('data', (chunk) => (text += chunk.toString()));
    client.write('CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitUntil('it is cut off', () => {
      client.write('more');
      return client.closed;
    });
    assert.match(text, /^HTTP\/1\.1 401 /);
  });

  it('all end when it closes, also those that it has just refused', async () => {
    const gateway = await startGateway(
      { port: 1 },
      { limits: { lingerMilliseconds: 3_600_000, strangerMilliseconds: 3_600_000 } },
    );
    const client = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined).resume();
    client.write('CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitUntil('it is refused', () => client.readableEnded);
    const silent = openRaw(gateway.port, '');
    await waitUntil('the other one is there', () => !silent.socket.connecting);
    await gateway.close();
    client.destroy();
  });

  it('end when no token is shown in time, but not those that have shown it', async () => {
    const upstream = await startUpstream((incoming, response) => {
      if (incoming.url === '/v1/models/now') response.end('now');
      else response.write('slow');
    });
    const gateway = await startGateway({ port: upstream.port }, { limits: { strangerMilliseconds: 150 } });
    const known = await open(gateway.port);
    known.on('error', () => undefined).resume();
    const silent = openRaw(gateway.port, '');
    const half = openRaw(gateway.port, 'POST /p/responses HTTP/1.1\r\nHost: a\r\n');
    assert.deepEqual(await Promise.all([silent.closed, half.closed]), ['', '']);
    assert.equal(known.destroyed, false);
    known.destroy();
  });

  it('leave room for the sandbox, however many others there are', async () => {
    const upstream = await startUpstream((_, response) => response.end('ok'));
    const gateway = await startGateway({ port: upstream.port }, { limits: { connections: 10 } });
    const others = Array.from({ length: 30 }, () => openRaw(gateway.port, ''));
    await Promise.all(others.slice(0, 20).map(({ closed }) => closed));
    assert.equal((await ask(gateway.port)).status, 200);
    assert.ok(others.some(({ socket }) => !socket.destroyed));
  });

  it('are 200 at once for a sandbox that asks so much', async () => {
    const upstream = await startUpstream((_, response) => response.end('ok'));
    const gateway = await startGateway({ port: upstream.port });
    const clients: ReturnType<typeof openRaw>[] = [];
    while (clients.length < 200) {
      const latest = openRaw(gateway.port, '');
      clients.push(latest);
      await once(latest.socket, 'connect');
    }
    clients.forEach(({ socket }) => socket.write(head('GET /p/models HTTP/1.1', 'Connection: close')));
    for (const { closed } of clients) assert.match(await closed, /^HTTP\/1\.1 200 /);
  });

  it('carry one request at a time: who sends a thousand at once is cut off, and the model sees at most one', async () => {
    let connections = 0;
    const upstream = await startUpstream(() => undefined);
    const gateway = await startGateway({ port: upstream.port });
    await waitUntil('the check is over', () => gateway.healths.length > 0);
    upstream.server.on('connection', () => connections++);
    const one = head('POST /p/responses HTTP/1.1', `X-Long: ${'x'.repeat(15_000)}`, 'Content-Length: 0');
    const before = process.memoryUsage().heapUsed;
    assert.equal(await openRaw(gateway.port, one.repeat(1000)).closed, '');
    // who has no token may not either
    const stranger = 'POST /p/responses HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';
    assert.ok((await openRaw(gateway.port, stranger.repeat(1000)).closed).split('HTTP/1.1').length <= 2);
    assert.ok(connections <= 1, `${connections} connections`);
    assert.ok(upstream.seen.length <= 1);
    assert.ok(process.memoryUsage().heapUsed - before < 100 * 1024 * 1024);
  });

  it('serve for the next request when an answer is complete', async () => {
    const upstream = await startUpstream((_, response) => response.end('ok'));
    const gateway = await startGateway({ port: upstream.port });
    const raw = openRaw(gateway.port, '');
    const times = (): number => raw.text().split('HTTP/1.1 ').length - 1;
    for (const [index, path] of ['/p/models', '/nowhere', '/p/models', '/p/models'].entries()) {
      raw.socket.write(head(`GET ${path} HTTP/1.1`));
      await waitUntil('an answer', () => times() === index + 1);
    }
  });

  it('have so many requests under way and no more, and room again when one is over', async () => {
    const upstream = await startUpstream((_, response) => response.write('begin'));
    const gateway = await startGateway({ port: upstream.port }, { limits: { exchanges: 3 } });
    const answers = await Promise.all([open(gateway.port), open(gateway.port), open(gateway.port)]);
    const refused = await ask(gateway.port);
    assert.equal(refused.status, 503);
    assert.match(refused.body.toString(), /has 3 requests to models under way; try again later/);
    answers.forEach((answer) => answer.on('error', () => undefined));
    answers[0]?.destroy();
    await waitUntil('there is room', async () => {
      const answer = await open(gateway.port);
      answer.on('error', () => undefined).destroy();
      return answer.statusCode === 200;
    });
  });

  it('have no more than 256 on their way to a model, also when clients ask and leave', async () => {
    let connecting = 0;
    const gateway = await startGateway(
      { baseUrl: 'http://198.51.100.1/v1' },
      {
        effects: {
          ...realEffects,
          connect: () => {
            connecting += 1;
            return new Socket();
          },
        },
      },
    );
    for (let round = 0; round < 4; round += 1) {
      const clients = Array.from({ length: 100 }, () =>
        openRaw(gateway.port, head('POST /p/responses HTTP/1.1', 'Content-Length: 0')),
      );
      const wanted = Math.min(256, (round + 1) * 100);
      await waitUntil('they are on their way', () => connecting >= wanted);
      if (round === 3)
        await waitUntil('one is refused', () => clients.some(({ text }) => /^HTTP.1.1 502/.test(text())));
      clients.forEach(({ socket }) => socket.destroy());
      await Promise.all(clients.map(({ closed }) => closed));
    }
    // and one of the check
    assert.ok(connecting <= 257, String(connecting));
  });
});
