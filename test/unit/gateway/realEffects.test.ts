import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { classifyAddress } from '../../../src/gateway/addressRules';
import { realEffects } from '../../../src/gateway/realEffects';

describe('the real network of the gateway', () => {
  it('resolves a name to all of its addresses', async () => {
    const addresses = await realEffects.resolve('localhost');
    assert.ok(addresses.length > 0);
    assert.deepEqual(new Set(addresses.map(classifyAddress)), new Set(['loopback']));
  });

  it('connects so that a side can end and still read', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
      socket.once('data', (chunk: Buffer) => socket.once('end', () => socket.end(`got ${chunk.toString()}`)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = realEffects.connect('127.0.0.1', (server.address() as AddressInfo).port);
    socket.end('hello');
    assert.equal(await text(socket), 'got hello');
    server.close();
  });
});
