import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { EgressWorld, makeCertificate, publicAddress } from './support/egressWorld';
import { clientHello } from './support/tlsRecords';

/** Of the proxy; private, as those of sites are. */
const proxyAddress = '10.1.1.1';
const authorization = `Basic ${Buffer.from('me:hunter2').toString('base64')}`;
const siteProxy = { url: 'http://proxy.site.example:3128', exceptions: ['direct.example'], authorization };

describe('the egress proxy behind the proxy of a site', () => {
  let world: EgressWorld;
  let certificate: { key: string; cert: string };
  let target: Server;
  let seen: IncomingMessage[];
  /** what the site's proxy does with a request that it does not let through */
  let denial: number | undefined;
  before(async () => {
    const folder = new EgressWorld();
    certificate = await makeCertificate(folder.folder, 'allowed.example', 'proxy.site.example');
    await folder.close();
  });
  beforeEach(async () => {
    seen = [];
    denial = undefined;
    world = new EgressWorld();
    world.name('proxy.site.example', [proxyAddress]);
    target = createTlsServer(certificate, (socket) => socket.end('hello')) as unknown as Server;
    await world.serve('behind the proxy', 443, target);
  });
  afterEach(() => world.close());

  /** A proxy that wants a password, leads all tunnels to `target` and answers all requests itself. */
  const serveSiteProxy = async (
    create: (listener: RequestListener) => Server,
    port: number,
  ): Promise<void> => {
    const isLetThrough = (incoming: IncomingMessage): boolean => {
      seen.push(incoming);
      return incoming.headers['proxy-authorization'] === authorization && denial === undefined;
    };
    const server = create((incoming, response) => {
      if (incoming.url?.endsWith('repeat')) {
        seen.push(incoming);
        response.setHeader('X-Request', String(incoming.headers['proxy-authorization']));
        const said = JSON.stringify(incoming.headers);
        if (/gzip/.test(incoming.headers['accept-encoding'] ?? '')) {
          response.setHeader('Content-Encoding', 'gzip').end(gzipSync(said));
        } else response.end(said);
      } else if (isLetThrough(incoming)) response.end(`plain ${incoming.url}`);
      else
        response
          .writeHead(denial ?? 407, { 'Proxy-Authenticate': 'Basic realm="secret-realm"' })
          .end('secret page');
    });
    server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
      client.on('error', () => undefined);
      if (!isLetThrough(incoming)) {
        client.end(`HTTP/1.1 ${denial ?? 407} No\r\nProxy-Authenticate: Basic\r\n\r\nsecret page`);
        return;
      }
      const upstream = connect((target.address() as AddressInfo).port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\nX-Proxy: secret\r\n\r\n');
        upstream.write(head);
        client.pipe(upstream).pipe(client);
      }).on('error', () => undefined);
    });
    await world.serve(proxyAddress, port, server);
  };

  const connectRequest = 'CONNECT allowed.example:443 HTTP/1.1\r\nProxy-Authorization: Basic eDp5\r\n\r\n';
  const get = (host: string): string =>
    `GET http://${host}/a?b HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: Basic eDp5\r\nConnection: close\r\n\r\n`;

  it("tunnels through it to a name that only it knows, with its password and not the agent's", async () => {
    await serveSiteProxy(createServer, 3128);
    await world.start({ allowedHosts: ['allowed.example'], siteProxy });
    const client = await world.tunnel('allowed.example:443');
    const secure = await client.secure({ servername: 'allowed.example', ca: certificate.cert });
    assert.equal(await text(secure), 'hello');
    assert.deepEqual(
      seen.map(({ method, url, rawHeaders }) => [method, url, rawHeaders]),
      [
        [
          'CONNECT',
          'allowed.example:443',
          ['Host', 'allowed.example:443', 'Proxy-Authorization', authorization, 'Connection', 'close'],
        ],
      ],
    );
    assert.deepEqual(world.connections, [`${proxyAddress}:3128`]);
    assert.equal((await world.over()).verdict, 'allowed');
  });

  it('asks it for plain requests, which name the whole URL', async () => {
    await serveSiteProxy(createServer, 3128);
    await world.start({ allowedHosts: ['allowed.example'], siteProxy });
    const answer = await world.exchange(get('Allowed.example'));
    assert.match(answer, /^HTTP\/1.1 200 .*plain http:\/\/allowed.example\/a\?b/s);
    assert.equal(seen[0]?.headers['proxy-authorization'], authorization);
    assert.equal(seen[0]?.headers.host, 'allowed.example');
    assert.ok(!answer.includes('hunter2') && !answer.includes(authorization));
  });

  it('does not give the agent its password when the proxy repeats the request', async () => {
    await serveSiteProxy(createServer, 3128);
    await world.start({ allowedHosts: ['allowed.example'], siteProxy });
    const secret = authorization.slice('Basic '.length);
    const page = await world.exchange(get('allowed.example').replace('/a?b', '/repeat'));
    assert.ok(!page.includes(secret), page);
    assert.equal(seen[0]?.headers['proxy-authorization'], authorization);
    seen = [];
    const trace = get('allowed.example').replace('GET', 'TRACE').replace('\r\n', '\r\nMax-Forwards: 0\r\n');
    assert.ok(!(await world.exchange(trace)).includes(secret));
    assert.deepEqual(seen, []);
  });

  it('asks it for nothing compressed, where a password would not be seen', async () => {
    await serveSiteProxy(createServer, 3128);
    await world.start({ allowedHosts: ['allowed.example'], siteProxy });
    const packed = get('allowed.example')
      .replace('/a?b', '/repeat')
      .replace('\r\n', '\r\nAccept-Encoding: gzip, br\r\n');
    const answer = await world.exchange(packed);
    assert.equal(seen[0]?.headers['accept-encoding'], 'identity');
    assert.ok(!/content-encoding/i.test(answer), answer);
  });

  it('reaches it over TLS, and only if its certificate is good', async () => {
    await serveSiteProxy((listener) => createHttpsServer(certificate, listener), 3129);
    const secureProxy = { ...siteProxy, url: 'https://proxy.site.example:3129' };
    world.authorities = [certificate.cert];
    const proxy = await world.start({ allowedHosts: ['allowed.example'], siteProxy: secureProxy });
    const client = await world.tunnel('allowed.example:443');
    const secure = await client.secure({ servername: 'allowed.example', ca: certificate.cert });
    assert.equal(await text(secure), 'hello');
    await proxy.close();
    world.authorities = [];
    await world.start({ allowedHosts: ['allowed.example'], siteProxy: secureProxy });
    assert.match(await world.exchange(connectRequest), /^HTTP\/1.1 502 /);
    assert.equal(seen.length, 1);
  });

  it('goes past it to its exceptions, and sends them no password', async () => {
    await serveSiteProxy(createServer, 3128);
    const requests: IncomingMessage[] = [];
    world.name('direct.example', [publicAddress]);
    await world.serve(
      publicAddress,
      80,
      createServer((incoming, response) => {
        requests.push(incoming);
        response.end('direct');
      }),
    );
    await world.start({ allowedHosts: ['direct.example'], siteProxy });
    assert.match(await world.exchange(get('direct.example')), /direct/);
    assert.deepEqual(world.connections, [`${publicAddress}:80`]);
    assert.equal(requests[0]?.url, '/a?b');
    assert.equal(requests[0].headers['proxy-authorization'], undefined);
  });

  it('does not ask it for what is not on the list, nor for private addresses', async () => {
    await serveSiteProxy(createServer, 3128);
    world.name('private.example', [publicAddress, '169.254.169.254']);
    await world.start({ allowedHosts: ['private.example'], siteProxy });
    for (const host of ['denied.example', '127.0.0.1', '169.254.169.254', '10.1.1.1', 'proxy.site.example']) {
      assert.match(await world.exchange(get(host)), /^HTTP\/1.1 403 /, host);
      assert.match(await world.exchange(`CONNECT ${host}:443 HTTP/1.1\r\n\r\n`), /^HTTP\/1.1 403 /, host);
    }
    assert.deepEqual([world.queries, world.connections], [[], []]);
    assert.match(await world.exchange(get('private.example')), /^HTTP\/1.1 403 /);
    assert.equal(world.entries.at(-1)?.address, '169.254.169.254');
    assert.deepEqual([world.queries, world.connections], [['private.example'], []]);
  });

  it('goes past it to what the user has allowed on this computer and in its networks', async () => {
    await serveSiteProxy(createServer, 3128);
    const server = createServer((_, response) => response.end('here'));
    await world.serve('127.0.0.1', 8888, server);
    for (const address of ['10.2.3.4', '10.2.3.5']) {
      await world.serve(
        address,
        8888,
        createServer((_, response) => response.end('here')),
      );
    }
    world.name('localhost', ['127.0.0.1']);
    world.name('inside.example', ['10.2.3.5']);
    const hosts = [
      '127.0.0.1:8888',
      'localhost:8888',
      '10.2.3.4:8888',
      '10.2.3.5:8888',
      'inside.example:8888',
    ];
    await world.start({ allowedHosts: hosts, siteProxy });
    for (const host of hosts) assert.match(await world.exchange(get(host)), /here/, host);
    assert.deepEqual(world.connections, [
      ...['127.0.0.1:8888', '127.0.0.1:8888', '10.2.3.4:8888', '10.2.3.5:8888', '10.2.3.5:8888'],
    ]);
    assert.equal(seen.length, 0);
  });

  it('still wants a tunnel to name its host', async () => {
    await serveSiteProxy(createServer, 3128);
    await world.start({ allowedHosts: ['allowed.example'], siteProxy });
    const client = await world.tunnel('allowed.example:443');
    client.socket.write('GET / HTTP/1.1\r\n\r\n');
    assert.equal(await client.untilEnd(), '');
    assert.equal((await world.over()).reason, 'notTls');
  });

  const denials: [number | undefined, string, number, string][] = [
    [undefined, 'its password is not accepted', 502, 'siteProxy'],
    [403, 'it denies it', 502, 'siteProxy'],
    [503, 'it is in trouble', 502, 'broken'],
    [504, 'the server does not answer it', 504, 'timedOut'],
  ];
  for (const [status, what, expected, reason] of denials) {
    it(`says that ${what}, with nothing of its answer`, async () => {
      denial = status;
      await serveSiteProxy(createServer, 3128);
      const wrong = { ...siteProxy, authorization: status === undefined ? 'Basic wrong' : authorization };
      await world.start({ allowedHosts: ['allowed.example'], siteProxy: wrong });
      const answers = [await world.exchange(connectRequest)];
      if (status === undefined) answers.push(await world.exchange(get('allowed.example')));
      for (const answer of answers) {
        assert.match(answer, new RegExp(`^HTTP/1.1 ${expected} `));
        assert.ok(!/secret|wrong|hunter2|Proxy-Authenticate/i.test(answer), answer);
      }
      const over = world.entries.filter(({ durationMilliseconds }) => durationMilliseconds !== undefined);
      assert.deepEqual(
        over.map((entry) => [entry.verdict, entry.reason]),
        answers.map(() => ['failed', reason]),
      );
    });
  }

  it('loses nothing of what came with the answer of the proxy', async () => {
    const server = createTcpServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nearly')).on('error', () => undefined);
    });
    await world.serve(proxyAddress, 3128, server);
    await world.start({ allowedHosts: ['allowed.example'], siteProxy });
    const client = await world.tunnel('allowed.example:443');
    client.socket.write(await clientHello('allowed.example'));
    await client.until('early');
  });

  it('fails when it is not there, or does not speak HTTP', async () => {
    await world.start({ allowedHosts: ['allowed.example'], siteProxy });
    assert.match(await world.exchange(connectRequest), /^HTTP\/1.1 502 /);
    assert.equal((await world.over()).reason, 'refused');
    const silent = await world.serveSilently(proxyAddress, 3128);
    const asked = world.exchange(connectRequest);
    while (silent.sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
    silent.sockets[0]?.end('SSH-2.0-x\r\n\r\n');
    assert.match(await asked, /^HTTP\/1.1 502 /);
    assert.equal((await world.over(2)).reason, 'broken');
  });
});
