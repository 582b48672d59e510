import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { waitUntil } from '../../support/waitUntil';
import { type Client, EgressWorld, otherPublicAddress, publicAddress } from './support/egressWorld';

describe('the egress proxy bounds', () => {
  let world: EgressWorld;
  beforeEach(() => {
    world = new EgressWorld();
    world.name('allowed.example', [publicAddress]);
  });
  afterEach(() => world.close());

  const get = 'GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n';
  const tunnel = 'CONNECT allowed.example:443 HTTP/1.1\r\n\r\n';

  it('the head of a request', async () => {
    await world.start({ allowedHosts: ['allowed.example'] });
    const heads = [
      `GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      `GET http://allowed.example/${'a'.repeat(20_000)} HTTP/1.1\r\nHost: allowed.example\r\n\r\n`,
      `GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n${'X-Header: value\r\n'.repeat(2000)}\r\n`,
      `CONNECT ${'a'.repeat(20_000)}:443 HTTP/1.1\r\n\r\n`,
    ];
    for (const head of heads) {
      assert.match(await world.exchange(head), /^HTTP\/1.1 431 /, head.slice(0, 60));
    }
    assert.deepEqual([world.queries, world.connections], [[], []]);
  });

  it('the number of headers by their size alone, so that none is overlooked', async () => {
    await world.start({ allowedHosts: ['allowed.example'] });
    const many = 'A:\r\n'.repeat(3000);
    const head = `GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n${many}Upgrade: x\r\n\r\n`;
    assert.match(await world.exchange(head), /^HTTP\/1.1 501 /);
  });

  it('the time for a head, also when it trickles or nothing comes at all', async () => {
    await world.start({ allowedHosts: ['allowed.example'], limits: { head: 200, checkInterval: 50 } });
    const silent = world.connect();
    const slow = world.connect();
    const trickle = setInterval(() => slow.socket.write('X: y\r\n'), 20);
    slow.socket.write('GET http://allowed.example/ HTTP/1.1\r\n');
    // what it is told can be lost, because it goes on sending
    assert.match(await slow.untilEnd(), /^(HTTP\/1.1 408 |$)/);
    await silent.untilEnd();
    clearInterval(trickle);
    assert.deepEqual([world.queries, world.connections], [[], []]);
  });

  it('the time for a whole request', async () => {
    await world.serve(
      publicAddress,
      80,
      createServer((incoming) => incoming.resume()),
    );
    await world.start({
      allowedHosts: ['allowed.example'],
      limits: { head: 100, request: 200, checkInterval: 50 },
    });
    const client = world.connect();
    client.socket.write(
      'POST http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\nContent-Length: 9999\r\n\r\n',
    );
    const trickle = setInterval(() => client.socket.write('x'), 20);
    await client.untilEnd();
    clearInterval(trickle);
    assert.equal((await world.over()).durationMilliseconds !== undefined, true);
  });

  it('the time between two requests', async () => {
    await world.serve(
      publicAddress,
      80,
      createServer((_, response) => response.end('hello')),
    );
    await world.start({ allowedHosts: ['allowed.example'], limits: { keepAlive: 50 } });
    assert.match(await world.exchange(get), /hello/);
  });

  it('silence in an exchange', async () => {
    await world.serveSilently(publicAddress, 80);
    await world.start({ allowedHosts: ['allowed.example'], limits: { idle: 150 } });
    assert.match(await world.exchange(get), /^HTTP\/1.1 504 /);
    const entry = await world.over();
    assert.deepEqual([entry.verdict, entry.reason], ['failed', 'timedOut']);
  });

  it('the lifetime of an attempt, even when bytes flow all the time', async () => {
    await world.serve(
      publicAddress,
      80,
      createServer((_, response) => {
        const timer = setInterval(() => response.write('x'), 10);
        response.on('close', () => clearInterval(timer));
      }),
    );
    await world.start({ allowedHosts: ['allowed.example'], limits: { lifetime: 300 } });
    assert.match(await world.exchange(get), /^HTTP\/1.1 200 /);
    const entry = await world.over();
    assert.deepEqual([entry.verdict, entry.reason], ['failed', 'timedOut']);
  });

  it('the time for a resolver', async () => {
    Object.assign(world.effects, { resolve: () => new Promise<string[]>(() => undefined) });
    await world.start({ allowedHosts: ['allowed.example'], limits: { resolve: 50 } });
    assert.match(await world.exchange(tunnel), /^HTTP\/1.1 504 .*did not answer in time/s);
  });

  it('the time for a server, whose other addresses are tried meanwhile', async () => {
    world.name('allowed.example', [publicAddress, otherPublicAddress]);
    const limits = { connect: 100, nextAddress: 10 };
    await world.start({ allowedHosts: ['allowed.example'], limits }, world.neverConnecting);
    assert.match(await world.exchange(tunnel), /^HTTP\/1.1 504 .*did not answer in time/s);
    assert.deepEqual(world.connections, [`${publicAddress}:443`, `${otherPublicAddress}:443`]);
  });

  it('the time for which a refused client is still listened to', async () => {
    const proxy = await world.start({ limits: { linger: 60_000, connections: 1 } });
    const refused = async (): Promise<boolean> => {
      const client = world.connect();
      client.socket.write(tunnel);
      const answer = await client.untilEnd();
      client.socket.end('more');
      return answer.includes(' 403 ');
    };
    await refused();
    // who has nothing more to say makes room at once
    await waitUntil('another one is served', refused);
    await proxy.close();
    await world.start({ limits: { linger: 50 } });
    const staying = world.connect();
    staying.socket.write(tunnel);
    await staying.untilEnd();
    await waitUntil('it is cut off', () => {
      staying.socket.write('more');
      return staying.socket.closed;
    });
  });

  it('attempts at the same time, and tells those in excess; afterwards there is room again', async () => {
    await world.serveSilently(publicAddress, 443);
    await world.start({ allowedHosts: ['allowed.example'], limits: { attempts: 3 } });
    const clients: Client[] = [];
    for (let count = 0; count < 3; count += 1) clients.push(await world.tunnel('allowed.example:443'));
    assert.match(await world.exchange(tunnel), /^HTTP\/1.1 503 .*too many connections/s);
    const entry = await world.over(4);
    assert.deepEqual([entry.verdict, entry.reason], ['failed', 'tooManyConnections']);
    clients[0]?.socket.destroy();
    await world.over(1);
    await world.tunnel('allowed.example:443');
  });

  it('what a client has begun that has left: neither a late answer of the resolver nor a server matters', async () => {
    const answers: ((addresses: string[]) => void)[] = [];
    const resolve = (): Promise<string[]> => new Promise((settle) => answers.push(settle));
    Object.assign(world.effects, { resolve });
    await world.start({ allowedHosts: ['allowed.example'], limits: { attempts: 2 } }, world.neverConnecting);
    for (const [id, early] of ['', 'early bytes'].entries()) {
      const client = world.connect();
      client.socket.write(tunnel);
      await waitUntil('the resolver is asked', () => answers.length === id + 1);
      client.socket.end(early);
      assert.equal((await world.over(id + 1)).reason, 'broken');
      client.socket.destroy();
      answers[id]?.([publicAddress]);
    }
    const connecting = world.connect();
    connecting.socket.write(tunnel);
    await waitUntil('the resolver is asked', () => answers.length === 3);
    answers[2]?.([publicAddress]);
    await waitUntil('a connection is tried', () => world.connections.length > 0);
    connecting.socket.destroy();
    assert.equal((await world.over(3)).reason, 'broken');
    assert.deepEqual(world.connections, [`${publicAddress}:443`]);
  });

  it('what a client may say before its tunnel is open', async () => {
    let isAsked = false;
    const resolve = (): Promise<string[]> => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    Object.assign(world.effects, { resolve });
    await world.start({ allowedHosts: ['allowed.example'] });
    const client = world.connect();
    client.socket.write(tunnel);
    await waitUntil('the resolver is asked', () => isAsked);
    client.socket.write(Buffer.alloc(40_000));
    assert.equal((await world.over()).reason, 'notTls');
    client.socket.destroy();
  });

  it('connections, of which those in excess are closed', async () => {
    await world.start({ allowedHosts: ['allowed.example'], limits: { connections: 20 } });
    const clients = Array.from({ length: 200 }, () => world.connect());
    await waitUntil(
      'the excess is closed',
      () => clients.filter(({ socket }) => socket.readableEnded).length === 180,
    );
    clients.forEach(({ socket }) => socket.destroy());
    await waitUntil('there is room again', async () =>
      (await world.exchange('GET / HTTP/1.1\r\nHost: a\r\n\r\n')).includes(' 400 '),
    );
  });

  it('what a client can pile up by asking much at once', async () => {
    await world.serveSilently(publicAddress, 80);
    await world.start({ allowedHosts: ['allowed.example'], limits: { attempts: 5, idle: 200 } });
    const answer = await world.exchange(get.repeat(50));
    assert.equal(world.connections.length, 5);
    assert.match(answer, /^HTTP\/1.1 504 /);
  });
});
