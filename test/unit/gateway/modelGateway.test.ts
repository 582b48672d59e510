import assert from 'node:assert/strict';
import { statSync, existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { createModelGateway } from '../../../src/gateway/modelGateway';
import { realEffects } from '../../../src/gateway/realEffects';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';
import { ask, endServersAfterEach, key, startGateway, startUpstream, token } from './modelGatewayUnderTest';

describe('the model gateway', () => {
  endServersAfterEach();

  it('passes a request on, signed, and the answer back', async () => {
    const upstream = await startUpstream((incoming, response) => {
      void text(incoming).then((body) => {
        response
          .writeHead(201, { 'x-request-id': 'r1', 'content-type': 'application/json' })
          .end(`{"got":${body}}`);
      });
    });
    const { port } = await startGateway({ port: upstream.port });
    const answer = await ask(port, {
      body: '{"a":1}',
      path: '/p/messages?beta=true',
      headers: { 'anthropic-version': '2023-06-01', cookie: 'a=b', 'x-forwarded-for': '1.2.3.4' },
    });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['x-request-id'], 'r1');
    assert.equal(answer.body.toString(), '{"got":{"a":1}}');
    const [seen] = upstream.seen;
    assert.equal(seen?.method, 'POST');
    assert.equal(seen.url, '/v1/messages?beta=true');
    assert.deepEqual(seen.headers, {
      host: `127.0.0.1:${upstream.port}`,
      'anthropic-version': '2023-06-01',
      'user-agent': 'opencode/test',
      authorization: `Bearer ${key}`,
      'content-length': '7',
      connection: 'keep-alive',
    });
    assert.ok(!seen.rawHeaders.join().includes(token), 'the token left the gateway');
  });

  it('signs as the provider wants it', async () => {
    const upstream = await startUpstream((_, response) => response.end());
    for (const [authentication, name] of [
      ['x-api-key', 'x-api-key'],
      ['api-key', 'api-key'],
    ] as const) {
      const { port } = await startGateway({ port: upstream.port, authentication });
      await ask(port, { headers: { 'x-api-key': '', authorization: `Bearer ${token}` } }).catch(
        () => undefined,
      );
      await ask(port);
      assert.equal(upstream.seen.at(-1)?.headers[name], key);
      assert.equal(upstream.seen.at(-1)?.headers.authorization, undefined);
    }
    const { port } = await startGateway({ port: upstream.port, authentication: 'none' });
    await ask(port);
    assert.ok(!upstream.seen.at(-1)?.rawHeaders.join().includes(key));
  });

  it('follows no redirect, and shows none: its target sees no connection and no key', async () => {
    let connections = 0;
    const elsewhere = await startUpstream((_, response) => response.end('here'));
    elsewhere.server.on('connection', () => connections++);
    const upstream = await startUpstream((_, response) => {
      response
        .writeHead(307, { location: `http://127.0.0.1:${elsewhere.port}/v1/chat/completions` })
        .end('moved');
    });
    const gateway = await startGateway({ port: upstream.port });
    const answer = await ask(gateway.port);
    assert.equal(answer.status, 307);
    assert.equal(answer.headers.location, undefined);
    assert.equal(answer.body.toString(), 'moved');
    assert.equal(connections, 0);
    assert.deepEqual(
      { ...gateway.healths.at(-1), time: 0 },
      { providerId: 'p', state: 'failing', status: 307, time: 0 },
    );
  });

  for (const status of [401, 429, 500, 503]) {
    it(`passes ${status} with retry-after on as it is`, async () => {
      const upstream = await startUpstream((_, response) => {
        response.writeHead(status, { 'retry-after': '7', 'content-type': 'text/html' }).end('<b>no</b>');
      });
      const { port, healths } = await startGateway({ port: upstream.port });
      const answer = await ask(port);
      assert.equal(answer.status, status);
      assert.equal(answer.headers['retry-after'], '7');
      assert.equal(answer.headers['content-type'], 'text/html');
      assert.equal(answer.body.toString(), '<b>no</b>');
      const state = { 401: 'unauthorized', 429: 'limited' }[status] ?? 'failing';
      assert.equal(healths.at(-1)?.state, state);
    });
  }

  it('answers 502 with our own words when nobody listens there, and tells it', async () => {
    const upstream = await startUpstream(() => undefined);
    await new Promise((resolve) => upstream.server.close(resolve));
    const { port, healths } = await startGateway({ port: upstream.port });
    const answer = await ask(port);
    assert.equal(answer.status, 502);
    assert.deepEqual(JSON.parse(answer.body.toString()), {
      error: { message: 'Sandboxed Agent: model unreachable: refused', type: 'server_error' },
    });
    assert.equal(healths.at(-1)?.state, 'refused');
  });

  it('answers 502 for a name that is not found, and for what is no HTTP', async () => {
    const effects = {
      ...realEffects,
      resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    };
    const unknown = await startGateway({ baseUrl: 'http://models.example/v1' }, { effects });
    assert.match((await ask(unknown.port)).body.toString(), /name not found/);
    const { server, port } = await startUpstream(() => undefined);
    server.removeAllListeners('connection');
    server.on('connection', (socket) => socket.end('SSH-2.0-OpenSSH\r\n', () => socket.destroy()));
    const gateway = await startGateway({ port });
    assert.match((await ask(gateway.port)).body.toString(), /no such server/);
  });

  it('tells once at its start how the model is, and the same again only after a while', async () => {
    const upstream = await startUpstream((_, response) => response.end());
    const { port, healths } = await startGateway({ port: upstream.port });
    await waitUntil('the first health', () => healths.length > 0);
    await ask(port);
    await ask(port);
    assert.deepEqual(
      healths.map(({ state }) => state),
      ['reachable'],
    );
  });

  describe('on a unix socket', () => {
    const folder = useTemporaryFolder();

    it('listens for its owner alone, serves, and leaves nothing', async () => {
      const upstream = await startUpstream((_, response) => response.end('hello'));
      const socketPath = join(folder(), 'models');
      const options = {
        listen: { socket: socketPath },
        token,
        upstreams: [
          {
            providerId: 'p',
            baseUrl: `http://127.0.0.1:${upstream.port}`,
            authentication: 'bearer' as const,
            key,
          },
        ],
      };
      const gateway = await createModelGateway(options, realEffects, { onModel: () => undefined });
      assert.equal(gateway.port, undefined);
      assert.equal(statSync(socketPath).mode & 0o777, 0o600);
      await assert.rejects(createModelGateway(options, realEffects, { onModel: () => undefined }), {
        code: 'EADDRINUSE',
      });
      const body = await new Promise<Buffer>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'user-agent': 'x' };
        request(
          { socketPath, path: '/p/models', headers },
          (answer) => void buffer(answer).then(resolve, reject),
        )
          .on('error', reject)
          .end();
      });
      assert.equal(body.toString(), 'hello');
      assert.equal(upstream.seen[0]?.url, '/models');
      await gateway.close();
      assert.ok(!existsSync(socketPath));
    });
  });

  for (const line of ['099 x', '600 x', '999 x', '000 x', '101 Switching Protocols']) {
    it(`answers 502 to a status that is none (${line}), and goes on`, async () => {
      const upstream = await startUpstream((incoming, response) => {
        if (incoming.method === 'GET') response.end('ok');
        else
          incoming.socket.end(
            `HTTP/1.1 ${line}\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 0\r\n\r\n`,
          );
      });
      const { port, healths } = await startGateway({ port: upstream.port });
      assert.equal((await ask(port)).status, 502);
      assert.equal((await ask(port, { method: 'GET', path: '/p/models' })).body.toString(), 'ok');
      assert.ok(healths.some(({ state }) => state === 'failing'));
    });
  }
});
