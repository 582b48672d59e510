import assert from 'node:assert/strict';
import { EgressWorld, publicAddress } from './support/egressWorld';

/** Attempts to get past the list. What counts is seen from outside: no question to a resolver, no connection. */
describe('the egress proxy denies', () => {
  let world: EgressWorld;
  beforeEach(() => {
    world = new EgressWorld();
    world.name('allowed.example', [publicAddress]);
  });
  afterEach(() => world.close());

  const connectRequest = (authority: string): string =>
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
  const getRequest = (url: string, host: string): string => `GET ${url} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

  it('what is not on the list, and tells the agent so in both forms', async () => {
    await world.start({ allowedHosts: ['allowed.example'] });
    for (const request of [
      connectRequest('denied.example:443'),
      getRequest('http://denied.example/secret', 'denied.example'),
    ]) {
      const answer = await world.exchange(request);
      assert.match(answer, /^HTTP\/1.1 403 Forbidden\r\n/);
      assert.match(answer, /\r\nContent-Type: text\/plain; charset=utf-8\r\n/);
      const [head, body] = answer.split('\r\n\r\n') as [string, string];
      assert.equal(
        body,
        'The sandbox denied this connection because denied.example is not on its allow-list; the user can allow it in the Network Log of Sandboxed Agent.\n',
      );
      assert.match(head, new RegExp(`\r\nContent-Length: ${body.length}(\r\n|$)`));
    }
    assert.deepEqual(
      world.entries.map(({ id, host, port, kind, verdict, reason }) => [
        id,
        host,
        port,
        kind,
        verdict,
        reason,
      ]),
      [
        [1, 'denied.example', 443, 'tunnel', 'denied', 'notAllowed'],
        [2, 'denied.example', 80, 'plain', 'denied', 'notAllowed'],
      ],
    );
    assert.ok(world.entries.every(({ durationMilliseconds }) => durationMilliseconds !== undefined));
    assert.deepEqual([world.queries, world.connections], [[], []]);
  });

  it('everything while the list is empty', async () => {
    await world.start();
    assert.match(await world.exchange(connectRequest('allowed.example:443')), /^HTTP\/1.1 403 /);
    assert.deepEqual([world.queries, world.connections], [[], []]);
  });

  it('hosts, ports and addresses that are not on the list, in whatever notation, without a question or a connection', async () => {
    await world.start({
      allowedHosts: ['allowed.example', '*.data.example', 'bücher.example', '93.184.216.34:8443'],
    });
    const authorities = [
      // other names
      ...[
        'www.allowed.example:443',
        'allowed.example.evil.test:443',
        'evil-allowed.example:443',
        'allowed:443',
      ],
      ...['data.example:443', 'evildata.example:443', 'data.example.:443', 'a.data.example.evil.test:443'],
      ...['xn--llowed-2nf.example:443', 'bucher.example:443', 'localhost:443', 'LOCALHOST.:80'],
      // odd ports
      ...['allowed.example:22', 'allowed.example:8443', 'allowed.example:65535', 'a.data.example:25'],
      ...['93.184.216.34:443', '93.184.216.35:8443'],
      // this computer, its networks and clouds, in every notation
      ...['127.0.0.1:443', '127.1:443', '2130706433:443', '0x7f000001:443', '0x7f.1:80', '017700000001:443'],
      ...[
        '127.0.0.1.:443',
        '[::1]:443',
        '[0:0:0:0:0:0:0:1]:443',
        '[::ffff:127.0.0.1]:443',
        '[::ffff:7f00:1]:443',
      ],
      ...[
        '[::127.0.0.1]:443',
        '0:443',
        '0.0.0.0:443',
        '[::]:443',
        '10.0.0.1:443',
        '192.168.1.1:80',
        '172.16.0.1:443',
      ],
      ...['100.64.0.1:443', '169.254.169.254:80', '0xa9fea9fe:80', '2852039166:80', '[fd00:ec2::254]:80'],
      ...['[::ffff:a9fe:a9fe]:80', '[64:ff9b::a9fe:a9fe]:80', '[2002:7f00:1::]:443', '[fe80::1]:443'],
    ];
    for (const authority of authorities) {
      assert.match(await world.exchange(connectRequest(authority)), /^HTTP\/1.1 403 /, authority);
      const url = `http://${authority}/`;
      assert.match(await world.exchange(getRequest(url, authority)), /^HTTP\/1.1 403 /, url);
    }
    assert.ok(world.entries.every(({ verdict, reason }) => verdict === 'denied' && reason === 'notAllowed'));
    assert.deepEqual([world.queries, world.connections], [[], []]);
  });

  it('what could be read in two ways, without a question or a connection', async () => {
    await world.start({ allowedHosts: ['allowed.example'] });
    const authorities = [
      ...[
        'user@allowed.example:443',
        'allowed.example:443@evil.test:443',
        'evil.test:443@allowed.example:443',
      ],
      ...[
        'allowed.example',
        'allowed.example:',
        'allowed.example:0443',
        'allowed.example:65979',
        'allowed.example:-1',
      ],
      ...[
        'allowed.example\\@evil.test:443',
        'evil.test#allowed.example:443',
        'evil.test%00.allowed.example:443',
      ],
      ...['allowed%2eexample:443', '[fe80::1%25lo]:443', '::1:443', 'allowed.example..:443', '256.0.0.1:443'],
      ...['https://allowed.example:443', 'allowed.example:443/', 'bücher.example:443'],
    ];
    for (const authority of authorities) {
      assert.match(await world.exchange(connectRequest(authority)), /^HTTP\/1.1 400 /, authority);
    }
    const urls = [
      ...[
        'http://user@allowed.example/',
        'http://user:pw@allowed.example/',
        'http://allowed.example@evil.test/',
      ],
      ...['https://allowed.example/', 'ftp://allowed.example/', '/', '/http://allowed.example/', '*'],
      ...[
        'http://allowed.example\\@evil.test/',
        'http://evil.test#allowed.example/',
        'http://allowed.example/#a',
      ],
    ];
    for (const url of urls) {
      assert.match(await world.exchange(getRequest(url, 'allowed.example')), /^HTTP\/1.1 400 /, url);
    }
    assert.ok(world.entries.every(({ verdict, reason }) => verdict === 'denied' && reason === 'malformed'));
    assert.deepEqual([world.queries, world.connections], [[], []]);
  });

  it('a name that leads to this computer, a private network or a metadata service, and names the address', async () => {
    const addresses = [
      ...['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254'],
      ...['::ffff:a9fe:a9fe', 'fd00:ec2::254', 'fe80::1%eth0', '64:ff9b::7f00:1', '0.0.0.0', '224.0.0.1'],
    ];
    await world.start({ allowedHosts: ['*.data.example', '10.0.0.1:8080'] });
    for (const [index, address] of addresses.entries()) {
      const host = `a${index}.data.example`;
      world.name(host, [address]);
      const answer = await world.exchange(connectRequest(`${host}:443`));
      assert.match(answer, /^HTTP\/1.1 403 .*leads to this computer or a private network/s, address);
      assert.match(await world.exchange(getRequest(`http://${host}/`, host)), /^HTTP\/1.1 403 /, address);
    }
    assert.ok(world.entries.every(({ reason }) => reason === 'privateAddress'));
    assert.equal(world.entries[0]?.address, '127.0.0.1');
    assert.equal(world.entries[4]?.address, '127.0.0.1', 'as the kernel would read ::ffff:127.0.0.1');
    assert.deepEqual(world.connections, []);
  });

  it('the private one of two addresses, even when the public one refuses', async () => {
    world.name('allowed.example', ['10.0.0.1', publicAddress, '127.0.0.1']);
    await world.serveSilently('10.0.0.1', 443);
    await world.serveSilently('127.0.0.1', 443);
    await world.start({ allowedHosts: ['allowed.example'] });
    assert.match(await world.exchange(connectRequest('allowed.example:443')), /^HTTP\/1.1 502 .*refused/s);
    assert.deepEqual(world.connections, [`${publicAddress}:443`]);
  });

  it('a second answer of the resolver: it is asked once for each attempt', async () => {
    world.name('allowed.example', [publicAddress], ['127.0.0.1']);
    const server = await world.serveSilently(publicAddress, 443);
    await world.start({ allowedHosts: ['allowed.example'] });
    await world.tunnel('allowed.example:443');
    assert.deepEqual([world.queries, world.connections], [['allowed.example'], [`${publicAddress}:443`]]);
    assert.match(await world.exchange(connectRequest('allowed.example:443')), /^HTTP\/1.1 403 /);
    assert.equal(world.entries.at(-1)?.reason, 'privateAddress');
    assert.equal(server.sockets.length, 1);
  });

  it('a request that follows a denied CONNECT on the same connection', async () => {
    await world.start({ allowedHosts: ['allowed.example'] });
    const answer = await world.exchange(
      connectRequest('denied.example:443') + getRequest('http://allowed.example/', 'allowed.example'),
    );
    assert.equal(answer.match(/HTTP\/1.1 /g)?.length, 1);
    assert.equal(world.entries.length, 1);
    assert.deepEqual([world.queries, world.connections], [[], []]);
  });

  it('names that are not found as failed, not as denied', async () => {
    await world.start({ allowedHosts: ['nowhere.example'] });
    assert.match(
      await world.exchange(connectRequest('nowhere.example:443')),
      /^HTTP\/1.1 502 .*no address was found/s,
    );
    const [entry] = world.entries;
    assert.deepEqual([entry?.verdict, entry?.reason], ['failed', 'nameNotFound']);
  });

  it('to log more of a host than a name can be long', async () => {
    await world.start();
    await world.exchange(connectRequest(`${'a.'.repeat(3000)}example:443`));
    assert.equal(world.entries[0]?.host.length, 253);
  });

  it('an entry that is none, when it starts and while it runs', async () => {
    await assert.rejects(world.start({ allowedHosts: ['*.com'] }), { code: 'host.invalid' });
    const proxy = await world.start({ allowedHosts: ['allowed.example'] });
    assert.throws(() => proxy.setAllowedHosts(['other.example', '*']), { code: 'host.invalid' });
    assert.match(await world.exchange(connectRequest('other.example:443')), /^HTTP\/1.1 403 /);
  });
});
