import assert from 'node:assert/strict';
import {
  ask,
  endServersAfterEach,
  head,
  key,
  openRaw,
  startGateway,
  startUpstream,
  token,
} from './modelGatewayUnderTest';

describe('the model gateway refuses', () => {
  endServersAfterEach();

  it('answers 401 to whoever does not show the token, whatever is asked, and asks the model nothing', async () => {
    const upstream = await startUpstream((_, response) => response.end());
    const { port } = await startGateway({ port: upstream.port });
    const wrong = `Authorization: Bearer ${'f'.repeat(64)}`;
    const requests = [
      'POST /p/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
      `POST /p/chat/completions HTTP/1.1\r\nHost: a\r\n${wrong}\r\nContent-Length: 2\r\n\r\n{}`,
      `POST /p/chat/completions HTTP/1.1\r\nHost: a\r\n${wrong}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
      `POST /p/chat/completions HTTP/1.1\r\nHost: a\r\n${wrong}\r\nExpect: other\r\nContent-Length: 2\r\n\r\n`,
      `GET /../nowhere HTTP/1.1\r\nHost: a\r\n${wrong}\r\n\r\n`,
      `CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n${wrong}\r\n\r\n`,
      head('GET /p/models HTTP/1.1', `x-api-key: ${token}`),
      head('GET /p/models HTTP/1.1', `Authorization: Bearer ${token}`),
      head('GET /p/models HTTP/1.1', wrong),
    ];
    for (const bytes of requests) {
      const said = await openRaw(port, bytes).closed;
      assert.match(said, /^HTTP\/1\.1 401 /, bytes);
      assert.ok(!said.includes(key) && !said.includes(token));
    }
    assert.deepEqual(upstream.seen, []);
  });

  it('refuses tricks with the target, and says so in JSON', async () => {
    const upstream = await startUpstream((_, response) => response.end());
    const { port } = await startGateway({ port: upstream.port });
    const targets: readonly [string, number][] = [
      ['POST /p/../x/chat/completions', 403],
      ['POST /p//chat/completions', 403],
      ['POST //p/chat/completions', 403],
      ['POST /p/%2e%2e/chat/completions', 403],
      ['POST /p/chat%2fcompletions', 403],
      ['POST /p\\chat/completions', 403],
      ['POST http://evil.example/p/chat/completions', 403],
      ['POST /p/chat/completions?key=mine', 403],
      ['POST /other/chat/completions', 404],
      ['POST /p/files', 404],
      ['PUT /p/chat/completions', 405],
      ['CONNECT evil.example:443', 405],
    ];
    for (const [line, status] of targets) {
      const said = await openRaw(port, head(`${line} HTTP/1.1`, 'Connection: close')).closed;
      assert.match(said, new RegExp(`^HTTP/1\\.1 ${status} `), line);
      if (!line.startsWith('CONNECT')) {
        const { error } = JSON.parse(said.slice(said.indexOf('{'))) as {
          error: { message: string; type: string };
        };
        assert.match(error.message, /^Sandboxed Agent: /);
        assert.equal(error.type, 'invalid_request_error');
      }
    }
    assert.deepEqual(upstream.seen, []);
  });

  it('refuses upgrades and unknown expectations', async () => {
    const upstream = await startUpstream((_, response) => response.end());
    const { port } = await startGateway({ port: upstream.port });
    const upgrade = head('GET /p/models HTTP/1.1', 'Connection: Upgrade, close', 'Upgrade: websocket');
    assert.match(await openRaw(port, upgrade).closed, /^HTTP\/1\.1 403 /);
    const expecting = head(
      'POST /p/responses HTTP/1.1',
      'Expect: other',
      'Content-Length: 0',
      'Connection: close',
    );
    assert.match(await openRaw(port, expecting).closed, /^HTTP\/1\.1 417 /);
    assert.deepEqual(upstream.seen, []);
  });

  it('answers 413 to a body that is too long, announced or not, and goes on', async () => {
    const upstream = await startUpstream((incoming, response) => {
      incoming.resume().once('end', () => response.end('ok'));
    });
    const { port } = await startGateway({ port: upstream.port }, { bodyBytes: 100_000 });
    assert.equal((await ask(port, { body: Buffer.alloc(100_001) })).status, 413);
    const chunked = { 'transfer-encoding': 'chunked' };
    assert.equal((await ask(port, { body: Buffer.alloc(200_000), headers: chunked })).status, 413);
    assert.equal((await ask(port, { body: Buffer.alloc(100_000), headers: chunked })).status, 200);
  });

  it('answers 431 to a head that is too long', async () => {
    const upstream = await startUpstream((_, response) => response.end());
    const { port } = await startGateway({ port: upstream.port });
    const said = await openRaw(port, head('GET /p/models HTTP/1.1', `X-Long: ${'a'.repeat(20_000)}`)).closed;
    assert.match(said, /^HTTP\/1\.1 431 /);
  });

  it('refuses a body whose end could be read in two ways', async () => {
    const upstream = await startUpstream((_, response) => response.end());
    const { port } = await startGateway({ port: upstream.port });
    for (const headers of [
      ['Content-Length: 5', 'Transfer-Encoding: chunked'],
      ['Content-Length: 5', 'Content-Length: 6'],
      ['Transfer-Encoding: chunked, identity'],
    ]) {
      const said = await openRaw(port, `${head('POST /p/responses HTTP/1.1', ...headers)}0\r\n\r\n`).closed;
      assert.match(said, /^HTTP\/1\.1 400 /, headers.join());
    }
    assert.deepEqual(upstream.seen, []);
  });
});
