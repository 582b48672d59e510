import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { waitUntil } from '../../support/waitUntil';
import {
  ask,
  endServersAfterEach,
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
    const gateway = await startGateway(
      { port: upstream.port },
      { limits: { strangers: 5, connections: 10 } },
    );
    const others = Array.from({ length: 30 }, () => openRaw(gateway.port, ''));
    await Promise.all(others.slice(0, 20).map(({ closed }) => closed));
    assert.equal((await ask(gateway.port)).status, 200);
    assert.ok(others.some(({ socket }) => !socket.destroyed));
  });
});
