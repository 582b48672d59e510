import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { waitUntil } from '../../support/waitUntil';
import { promisify } from 'node:util';
import { EgressWorld, makeCertificate, otherPublicAddress, publicAddress } from './support/egressWorld';
import { clientHello } from './support/tlsRecords';

describe('a tunnel through the egress proxy', () => {
  let world: EgressWorld;
  let certificate: { key: string; cert: string };
  before(async function () {
    const folder = new EgressWorld();
    certificate = await makeCertificate(
      folder.folder,
      'allowed.example',
      'www.data.example',
      'other.example',
    );
    await folder.close();
  });
  beforeEach(() => {
    world = new EgressWorld();
    world.name('allowed.example', [publicAddress]);
    world.name('other.example', [otherPublicAddress]);
  });
  afterEach(() => world.close());

  it('leads to an allowed host, TLS end to end, and is logged when decided and when over', async () => {
    const server = createHttpsServer(certificate, (_, response) => response.end('hello'));
    await world.serve(publicAddress, 443, server);
    await world.start({ allowedHosts: ['allowed.example'] });
    const client = await world.tunnel('Allowed.Example.:443');
    const secure = await client.secure({ servername: 'allowed.example', ca: certificate.cert });
    const asking = request({ host: 'allowed.example', createConnection: () => secure });
    asking.end();
    const [answer] = (await once(asking, 'response')) as [NodeJS.ReadableStream];
    assert.equal(await text(answer), 'hello');
    assert.deepEqual(
      world.entries.map(({ verdict, durationMilliseconds }) => [verdict, durationMilliseconds]),
      [['allowed', undefined]],
    );
    secure.destroy();
    const entry = await world.over();
    assert.deepEqual(
      [entry.host, entry.port, entry.kind, entry.verdict, entry.reason],
      ['allowed.example', 443, 'tunnel', 'allowed', undefined],
    );
    assert.ok(entry.bytesSent > 300 && entry.bytesReceived > 300, JSON.stringify(entry));
    assert.deepEqual(world.queries, ['allowed.example']);
    assert.deepEqual(world.connections, [`${publicAddress}:443`]);
  });

  it('is offered on a socket that only the user can open', async () => {
    const proxy = await world.start();
    assert.equal(statSync(world.socket).mode & 0o777, 0o600);
    await proxy.close();
    assert.throws(() => statSync(world.socket), { code: 'ENOENT' });
    await world.start();
  });

  it('leads to what is below an allowed domain', async () => {
    const server = createTlsServer(certificate, (socket) => socket.end('hello'));
    await world.serve(publicAddress, 443, server);
    world.name('www.data.example', [publicAddress]);
    await world.start({ allowedHosts: ['*.data.example'] });
    const client = await world.tunnel('www.data.example:443');
    const secure = await client.secure({ servername: 'www.data.example', ca: certificate.cert });
    assert.equal(await text(secure), 'hello');
  });

  it('lets each side end for itself, and loses nothing', async () => {
    const size = 3_000_000;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      let received = 0;
      socket.on('data', (chunk: Buffer) => (received += chunk.length));
      socket.on('end', () => socket.end(`${received} ${'x'.repeat(size)}`));
    });
    await world.serve(publicAddress, 443, server);
    await world.start({ allowedHosts: ['allowed.example'] });
    const first = await clientHello('allowed.example');
    const client = await world.tunnel('allowed.example:443');
    client.socket.write(first);
    client.socket.end(Buffer.alloc(size));
    const answer = await client.untilEnd();
    assert.equal(answer.length, `${size + first.length} `.length + size);
    assert.ok(answer.startsWith(`${size + first.length} x`));
    const entry = await world.over();
    assert.deepEqual([entry.bytesSent, entry.bytesReceived], [size + first.length, answer.length]);
  });

  it('brings everything to an agent that begins to read when the server has left', async () => {
    const answer = 'x'.repeat(260_000);
    const server = createServer((socket) => socket.once('data', () => socket.end(answer)));
    await world.serve(publicAddress, 443, server);
    await world.start({ allowedHosts: ['allowed.example'] });
    const client = await world.tunnel('allowed.example:443');
    client.stopReading();
    client.socket.end(await clientHello('allowed.example'));
    await waitUntil('the server has sent everything', async () => {
      const connections = await promisify(server.getConnections.bind(server))();
      return connections === 0;
    });
    client.startReading();
    assert.equal((await client.untilEnd()).length, answer.length);
  });

  it('slows a server down whose answer nobody reads, and ends when it has been idle', async () => {
    let written = 0;
    const server = createServer((socket) => {
      const more = (): void => {
        while (socket.write(Buffer.alloc(65_536))) written += 65_536;
      };
      socket.on('drain', more).on('error', () => undefined);
      more();
    });
    await world.serve(publicAddress, 443, server);
    await world.start({ allowedHosts: ['allowed.example'], limits: { idle: 700 } });
    const client = await world.tunnel('allowed.example:443');
    client.stopReading();
    client.socket.write(await clientHello('allowed.example'));
    await world.over(); // it stands still until it is idle
    assert.ok(written < 30_000_000, String(written));
  });

  it('tries the next address when one refuses or does not answer', async () => {
    const server = createTlsServer(certificate, (socket: TLSSocket) => socket.end('hello'));
    await world.serve(otherPublicAddress, 443, server);
    world.name('allowed.example', [publicAddress, '10.0.0.1', otherPublicAddress]);
    await world.start({ allowedHosts: ['allowed.example'] });
    const client = await world.tunnel('allowed.example:443');
    const secure = await client.secure({ servername: 'allowed.example', ca: certificate.cert });
    assert.equal(await text(secure), 'hello');
    assert.deepEqual(world.connections, [`${publicAddress}:443`, `${otherPublicAddress}:443`]);
  });

  it('ends when its host is taken off the list, and only then', async () => {
    for (const address of [publicAddress, otherPublicAddress]) await world.serveSilently(address, 443);
    const proxy = await world.start({ allowedHosts: ['allowed.example'] });
    const client = await world.tunnel('allowed.example:443');
    client.socket.write(await clientHello('allowed.example'));
    await waitUntil('it is allowed', () => world.entries.length === 1);
    proxy.setAllowedHosts(['allowed.example', 'other.example']);
    const other = await world.tunnel('other.example:443');
    other.socket.write(await clientHello('other.example'));
    await waitUntil('it is allowed', () => world.entries.length === 2);
    proxy.setAllowedHosts(['other.example']);
    await client.untilEnd();
    assert.equal((await world.over(1)).verdict, 'allowed');
    assert.equal(world.entries.length, 3);
    assert.match(await world.exchange('CONNECT allowed.example:443 HTTP/1.1\r\n\r\n'), /^HTTP\/1.1 403 /);
    assert.equal(other.socket.destroyed, false);
  });

  it('that waits for a server is not opened when its host is taken off the list', async () => {
    const server = await world.serveSilently(publicAddress, 443);
    const proxy = await world.start({ allowedHosts: ['allowed.example'] });
    const client = await world.tunnel('allowed.example:443');
    proxy.setAllowedHosts([]);
    client.socket.write(await clientHello('allowed.example'));
    await client.untilEnd();
    assert.deepEqual([(await world.over()).verdict, (await world.over()).reason], ['denied', 'notAllowed']);
    assert.equal(server.bytes().length, 0);
  });

  it('ends with the proxy', async () => {
    await world.serveSilently(publicAddress, 443);
    const proxy = await world.start({ allowedHosts: ['allowed.example'] });
    const client = await world.tunnel('allowed.example:443');
    client.socket.write(await clientHello('allowed.example'));
    await waitUntil('it is allowed', () => world.entries.length === 1);
    await proxy.close();
    await client.untilEnd();
    await world.over();
  });

  it('by name to a private address ends when that address is taken off the list', async () => {
    await world.serveSilently('10.0.0.1', 443);
    await world.serveSilently(otherPublicAddress, 443);
    world.name('allowed.example', ['10.0.0.1']);
    const proxy = await world.start({ allowedHosts: ['allowed.example', 'other.example', '10.0.0.1'] });
    const client = await world.tunnel('allowed.example:443');
    client.socket.write(await clientHello('allowed.example'));
    await waitUntil('it is allowed', () => world.entries.length === 1);
    const other = await world.tunnel('other.example:443');
    other.socket.write(await clientHello('other.example'));
    await waitUntil('it is allowed', () => world.entries.length === 2);
    proxy.setAllowedHosts(['allowed.example', 'other.example']);
    await client.untilEnd();
    assert.equal((await world.over()).verdict, 'allowed');
    assert.equal(other.socket.destroyed, false);
    assert.equal(world.entries.length, 3);
  });

  it('by name to a private address is not opened when that address is taken off while it connects', async () => {
    const server = await world.serveSilently('10.0.0.1', 443);
    world.name('allowed.example', ['10.0.0.1']);
    const { connect } = world.effects;
    const proxy = await world.start({ allowedHosts: ['allowed.example', '10.0.0.1'] }, (address, port) => {
      proxy.setAllowedHosts(['allowed.example']);
      return connect(address, port);
    });
    await assert.rejects(world.tunnel('allowed.example:443'), /^Error: HTTP\/1.1 403 /);
    assert.equal((await world.over()).reason, 'privateAddress');
    assert.equal(server.bytes().length, 0);
  });
});
