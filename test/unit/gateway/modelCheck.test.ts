import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SignedUpstream } from '../../../src/gateway/gateway';
import { checkModel, type ModelCheck } from '../../../src/gateway/modelCheck';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';
import { World } from '../../support/world';
import { ask, endServersAfterEach, key, startGateway } from './modelGatewayUnderTest';

const never = new AbortController().signal;
const host = 'models.example';
/** documentation addresses (RFC 5737) are not private */
const address = '192.0.2.1';

describe('a model with a certificate', () => {
  const folder = useTemporaryFolder();
  endServersAfterEach();
  let world: World;
  let proxy: Server | undefined;
  beforeEach(() => (world = new World(join(folder(), 'world'))));
  afterEach(async () => {
    await world.close();
    proxy?.close();
    proxy = undefined;
  });

  const upstream = (baseUrl: string): SignedUpstream => ({
    providerId: 'p',
    baseUrl,
    authentication: 'bearer',
    key,
  });
  const list: RequestListener = (_, response) => response.end('{"data":[{"id":"m1"}]}');
  const check = (baseUrl: string): Promise<ModelCheck> =>
    checkModel(upstream(baseUrl), { effects: world.effects }, never);

  it('is reached when its authority is trusted, by its name', async () => {
    await world.site(host, address, list);
    const { health, models, latencyMilliseconds } = await check(`https://${host}/v1`);
    assert.equal(health.state, 'reachable');
    assert.deepEqual(models, ['m1']);
    assert.ok(latencyMilliseconds !== undefined && latencyMilliseconds > 0);
    assert.deepEqual(world.requests, [{ host, url: '/v1/models', authorization: `Bearer ${key}` }]);
    const { port } = await startGateway(upstream(`https://${host}/v1`), { effects: world.effects });
    assert.equal((await ask(port)).status, 200);
    assert.deepEqual(world.requests.at(-1), {
      host,
      url: '/v1/chat/completions',
      authorization: `Bearer ${key}`,
    });
  });

  it('gets no request when its authority is not trusted', async () => {
    await world.site(host, address, list);
    const effects = { ...world.effects, authorities: [] };
    const { health } = await checkModel(upstream(`https://${host}/v1`), { effects }, never);
    assert.equal(health.state, 'certificate');
    const { port } = await startGateway(upstream(`https://${host}/v1`), { effects });
    const answer = await ask(port);
    assert.equal(answer.status, 502);
    assert.match(answer.body.toString(), /model unreachable: certificate/);
    assert.deepEqual(world.requests, []);
  });

  it('gets no request when its certificate is for another name', async () => {
    await world.site(host, address, list);
    world.name('other.example', address);
    assert.equal((await check('https://other.example/v1')).health.state, 'certificate');
    assert.equal((await check(`https://${address}/v1`)).health.state, 'certificate');
    assert.deepEqual(world.requests, []);
  });

  it('is reached when NODE_EXTRA_CA_CERTS names its authority', async () => {
    await world.site(host, address, list);
    const other = new World(join(folder(), 'other'));
    const program = `
      const { checkModel } = require(${JSON.stringify(require.resolve('../../../src/gateway/modelCheck'))});
      const effects = {
        resolve: () => Promise.resolve(['127.0.0.1']),
        connect: () => require('node:net').connect(Number(process.argv[1]), '127.0.0.1'),
      };
      const upstream = { providerId: 'p', baseUrl: 'https://${host}/v1', authentication: 'none' };
      checkModel(upstream, { effects }, new AbortController().signal).then((check) => console.log(check.health.state));`;
    const port = await new Promise<number>((resolve) => {
      const socket = world.effects.connect(address, 443);
      socket.once('connect', () => {
        resolve(socket.remotePort ?? 0);
        socket.destroy();
      });
    });
    const run = async (authority: string): Promise<string> => {
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', program, String(port)], {
        env: { NODE_EXTRA_CA_CERTS: authority },
      });
      return stdout.trim();
    };
    assert.equal(await run(world.authority), 'reachable');
    assert.equal(await run(other.authority), 'certificate');
  });

  it('is reached through a tunnel of the site’s proxy, which does not see the key', async () => {
    await world.site(host, address, list);
    const asked: string[] = [];
    let seen = '';
    proxy = createServer();
    proxy.on('connect', (request, client, rest: Buffer) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const server = world.effects.connect(address, 443);
      server.once('connect', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.on('data', (bytes: Buffer) => (seen += bytes.toString('latin1')));
        server.write(rest);
        server.pipe(client).pipe(server);
      });
    });
    proxy.listen(0, '127.0.0.1');
    await waitUntil('the proxy listens', () => proxy?.listening);
    const { port } = proxy.address() as AddressInfo;
    const effects = { ...world.effects, connect: () => connect(port, '127.0.0.1') };
    const siteProxy = { url: `http://127.0.0.1:${port}`, exceptions: [], authorization: 'Basic abc' };
    const { health } = await checkModel(upstream(`https://${host}/v1`), { effects, siteProxy }, never);
    assert.equal(health.state, 'reachable');
    assert.deepEqual(asked, [`${host}:443 Basic abc`]);
    assert.ok(seen.length > 0 && !seen.includes(key));
    assert.deepEqual(world.queries, []);
  });
});

describe('checkModel', () => {
  const folder = useTemporaryFolder();
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
  });

  const check = async (
    listener: RequestListener,
    rest: Partial<SignedUpstream> = {},
  ): Promise<ModelCheck> => {
    server = createServer(listener);
    await new Promise<void>((resolve) => server?.listen(join(folder(), 's'), resolve));
    const effects = { resolve: () => Promise.resolve([]), connect: () => connect(join(folder(), 's')) };
    const upstream = {
      providerId: 'p',
      baseUrl: 'http://10.0.0.1:8000/v1',
      authentication: 'bearer' as const,
      key,
    };
    return checkModel({ ...upstream, ...rest }, { effects }, never);
  };

  it('gives the ids that a model can have, each once, and at most 200', async () => {
    const good = Array.from({ length: 300 }, (_, index) => ({ id: `owner/model-${index}:free` }));
    const bad = [
      { id: 'a b' },
      { id: '[x](command:evil)' },
      { id: 7 },
      { id: 'a'.repeat(129) },
      { id: '\u001b[31m' },
    ];
    const { models } = await check((_, response) =>
      response.end(JSON.stringify({ object: 'list', data: [...bad, { id: good[0]?.id }, ...good] })),
    );
    assert.equal(models?.length, 200);
    assert.ok(models.every((id) => /^owner\/model-\d+:free$/.test(id)));
    assert.equal(new Set(models).size, 200);
  });

  for (const status of [404, 405]) {
    it(`takes ${status} for a server without a list`, async () => {
      const { health, models } = await check((_, response) => response.writeHead(status).end());
      assert.equal(health.state, 'reachable');
      assert.equal(models, undefined);
    });
  }

  it('takes no page of a portal for a server of models, and no redirect to one', async () => {
    assert.equal((await check((_, response) => response.end('<html>Log in</html>'))).health.state, 'failing');
  });

  it('follows no redirect', async () => {
    const { health } = await check((_, response) => response.writeHead(302, { location: '/login' }).end());
    assert.deepEqual([health.state, health.status], ['failing', 302]);
  });

  it('shows that the key is not accepted', async () => {
    const { health } = await check((_, response) => response.writeHead(401).end());
    assert.equal(health.state, 'unauthorized');
  });

  it('asks Anthropic’s servers in their way', async () => {
    let headers: Record<string, unknown> = {};
    await check(
      (request, response) => {
        headers = request.headers;
        response.end('{"data":[]}');
      },
      { authentication: 'x-api-key' },
    );
    assert.equal(headers['x-api-key'], key);
    assert.equal(headers['anthropic-version'], '2023-06-01');
  });

  it('reads no list without end', async () => {
    const { models } = await check((_, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536, ' ')));
      };
      response.on('drain', more);
      more();
    });
    assert.equal(models, undefined);
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const effects = { resolve: () => Promise.resolve([]), connect: () => connect(join(folder(), 's')) };
    server = createServer(() => controller.abort(new Error('enough')));
    await new Promise<void>((resolve) => server?.listen(join(folder(), 's'), resolve));
    const upstream = { providerId: 'p', baseUrl: 'http://10.0.0.1/v1', authentication: 'none' as const };
    await assert.rejects(checkModel(upstream, { effects }, controller.signal), { message: 'enough' });
  });
});
