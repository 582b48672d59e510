import assert from 'node:assert/strict';
import { waitUntil } from '../../support/waitUntil';
import { EgressWorld, otherPublicAddress, publicAddress } from './support/egressWorld';
import { clientHello, intoRecords } from './support/tlsRecords';

describe('the server name in a tunnel through the egress proxy', () => {
  let world: EgressWorld;
  beforeEach(() => {
    world = new EgressWorld();
    world.name('allowed.example', [publicAddress]);
    world.name('other.example', [otherPublicAddress]);
  });
  afterEach(() => world.close());

  it('opens it when it is that of the host; before, nothing reaches the server', async () => {
    const server = await world.serveSilently(publicAddress, 443);
    await world.start({ allowedHosts: ['allowed.example'] });
    const bytes = await clientHello('allowed.example');
    const client = await world.tunnel('allowed.example:443');
    for (const byte of bytes.subarray(0, -1)) client.socket.write(Buffer.from([byte]));
    await waitUntil('the server is connected', () => server.sockets.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(server.bytes().length, 0);
    client.socket.write(bytes.subarray(-1));
    client.socket.write('and more');
    await waitUntil('all has arrived', () => server.bytes().length === bytes.length + 8);
    assert.deepEqual(server.bytes().subarray(0, bytes.length), bytes);
  });

  it('is found in many records, and when they came with the request', async () => {
    const server = await world.serveSilently(publicAddress, 443);
    await world.start({ allowedHosts: ['allowed.example'] });
    const bytes = intoRecords(await clientHello('ALLOWED.example'), 11);
    const client = world.connect();
    client.socket.write(Buffer.concat([Buffer.from('CONNECT allowed.example:443 HTTP/1.1\r\n\r\n'), bytes]));
    await waitUntil('all has arrived', () => server.bytes().length === bytes.length);
  });

  const refusedHellos: [string, string, () => Promise<Buffer>][] = [
    ['another server name', 'otherServerName', () => clientHello('other.example')],
    ['the name of a sub-domain', 'otherServerName', () => clientHello('www.allowed.example')],
    ['no server name', 'otherServerName', () => clientHello()],
    [
      'another server name over many records',
      'otherServerName',
      async () => intoRecords(await clientHello('other.example'), 5),
    ],
    [
      'plain HTTP',
      'notTls',
      () => Promise.resolve(Buffer.from('GET / HTTP/1.1\r\nHost: other.example\r\n\r\n')),
    ],
    ['SSH', 'notTls', () => Promise.resolve(Buffer.from('SSH-2.0-OpenSSH_9.9\r\n'))],
  ];
  for (const [what, reason, bytes] of refusedHellos) {
    it(`has to be there, so with ${what} it is cut, and the server gets not a byte`, async () => {
      const server = await world.serveSilently(publicAddress, 443);
      await world.start({ allowedHosts: ['allowed.example', 'other.example'] });
      const client = await world.tunnel('allowed.example:443');
      client.socket.write(await bytes());
      const alert = reason === 'otherServerName' ? '\x15\x03\x03\x00\x02\x02\x31' : '';
      assert.equal(await client.untilEnd(), alert);
      const entry = await world.over();
      assert.deepEqual([entry.verdict, entry.reason], ['denied', reason]);
      assert.equal(entry.bytesSent + entry.bytesReceived, 0);
      await waitUntil('the server lost its client', () =>
        server.sockets.every((socket) => socket.readableEnded),
      );
      assert.equal(server.bytes().length, 0);
    });
  }

  it('has to come in time', async () => {
    await world.serveSilently(publicAddress, 443);
    await world.start({ allowedHosts: ['allowed.example'], limits: { hello: 100 } });
    const silent = await world.tunnel('allowed.example:443');
    assert.equal(await silent.untilEnd(), '');
    assert.equal((await world.over(1)).reason, 'notTls');
    const slow = await world.tunnel('allowed.example:443');
    slow.socket.write((await clientHello('allowed.example')).subarray(0, 50));
    assert.equal(await slow.untilEnd(), '');
    assert.equal((await world.over(2)).reason, 'notTls');
  });

  it('is not waited for when the agent has left', async () => {
    const server = await world.serveSilently(publicAddress, 443);
    await world.start({ allowedHosts: ['allowed.example'] });
    const client = await world.tunnel('allowed.example:443');
    client.socket.destroy();
    assert.deepEqual([(await world.over()).verdict, (await world.over()).reason], ['failed', 'broken']);
    await waitUntil('the server lost its client', () =>
      server.sockets.every((socket) => socket.readableEnded),
    );
  });

  it('may be missing when the host is an address, but not be another', async () => {
    const server = await world.serveSilently('192.168.7.7', 8443);
    await world.start({ allowedHosts: ['192.168.7.7:8443'] });
    const bytes = await clientHello();
    const client = await world.tunnel('[::ffff:192.168.7.7]:8443');
    client.socket.write(bytes);
    await waitUntil('all has arrived', () => server.bytes().length === bytes.length);
    assert.deepEqual(world.queries, []);
    const named = await world.tunnel('0xc0a80707:8443');
    named.socket.write(await clientHello('other.example'));
    await named.untilEnd();
    assert.equal((await world.over(2)).reason, 'otherServerName');
  });
});
