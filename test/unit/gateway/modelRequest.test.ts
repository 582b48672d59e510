import assert from 'node:assert/strict';
import { keyHeader, requestHeaders, responseHeaders } from '../../../src/gateway/modelHeaders';
import { judgeModelRequest } from '../../../src/gateway/modelRequest';
import { showsToken } from '../../../src/gateway/modelToken';

const judge = (method: string, target: string) => judgeModelRequest(method, target, (id) => id === 'p.1');

describe('judgeModelRequest', () => {
  const signed: readonly [string, string][] = [
    ['POST', '/chat/completions'],
    ['POST', '/responses'],
    ['POST', '/messages'],
    ['POST', '/messages?beta=true'],
    ['POST', '/chat/completions?api-version=2024-10-21&x=1'],
    ['POST', '/embeddings'],
    ['GET', '/models'],
    ['GET', '/models/gpt-5.1:free@x'],
  ];
  for (const [method, path] of signed) {
    it(`signs ${method} ${path}`, () => {
      assert.deepEqual(judge(method, `/p.1${path}`), { providerId: 'p.1', path });
    });
  }

  const refused: readonly [number, string, string][] = [
    [404, 'POST', '/other/chat/completions'],
    [404, 'POST', '/p.1/files'],
    [404, 'POST', '/p.1/v1/chat/completions'],
    [404, 'POST', '/p.1/chat/completions/x'],
    [404, 'GET', '/p.1/models/a/b'],
    [404, 'GET', '/p.1/api-keys'],
    [405, 'GET', '/p.1/chat/completions'],
    [405, 'DELETE', '/p.1/models/x'],
    [405, 'HEAD', '/p.1/models'],
    [405, 'OPTIONS', '/p.1/models'],
    ...[
      '',
      '/',
      '*',
      '/p.1',
      '/p.1/',
      '/./models',
      '/../models',
      '/p.1/../x/models',
      '/p.1/./models',
      '/p.1/models/.',
      '/p.1/models/..',
      '/p.1/models/..?a=b',
      '/p.1/models/',
      '//p.1/models',
      '/p.1//models',
      '/p.1/%2e%2e/x',
      '/p.1/models/%2e%2e',
      '/p.1/models%2fx',
      '/p.1/models%5cx',
      '/p.1\\models',
      '/p.1/models;a',
      '/p.1/models#x',
      'http://evil.example/p.1/models',
      'p.1/models',
      `/${'p'.repeat(65)}/models`,
      '/p.1/models?',
      '/p.1/models?a',
      '/p.1/models?a=b&',
      '/p.1/models?a=%41',
      '/p.1/models?a=b?c=d',
      '/p.1/models?key=abc',
      '/p.1/models?a=b&api_key=abc',
      '/p.1/models?access_token=abc',
      '/p.1/models?X-Goog-Signature=abc',
      `/p.1/models?${'a=b&'.repeat(8)}a=b`,
    ].map((target): [number, string, string] => [403, 'GET', target]),
  ];
  for (const [status, method, target] of refused) {
    it(`refuses ${method} ${target.slice(0, 60)} with ${status}`, () => {
      const judged = judge(method, target);
      assert.ok('status' in judged, JSON.stringify(judged));
      assert.equal(judged.status, status);
    });
  }

  it('says which method is right', () => {
    assert.deepEqual((judge('GET', '/p.1/responses') as { allow?: string }).allow, 'POST');
  });
});

describe('showsToken', () => {
  const token = 'ab'.repeat(32);
  const cases: readonly [string, boolean, string[]][] = [
    ['Bearer', true, ['Authorization', `Bearer ${token}`]],
    ['bearer in lower case', true, ['authorization', `bearer ${token}`]],
    ['x-api-key', true, ['X-Api-Key', token]],
    ['api-key', true, ['api-key', token]],
    ['nothing', false, ['Host', token]],
    ['a wrong token', false, ['Authorization', `Bearer ${'cd'.repeat(32)}`]],
    ['a shorter token', false, ['Authorization', `Bearer ${token.slice(1)}`]],
    ['a longer token', false, ['x-api-key', `${token}0`]],
    ['the token in upper case', false, ['x-api-key', token.toUpperCase()]],
    ['an empty value', false, ['x-api-key', '']],
    ['Bearer without a token', false, ['Authorization', 'Bearer ']],
    ['the bare token as Authorization', false, ['Authorization', token]],
    ['Bearer as x-api-key', false, ['x-api-key', `Bearer ${token}`]],
    ['Basic', false, ['Authorization', `Basic ${Buffer.from(`:${token}`).toString('base64')}`]],
    ['two headers of one name', false, ['x-api-key', token, 'X-API-KEY', token]],
    ['two headers of two names', false, ['Authorization', `Bearer ${token}`, 'api-key', token]],
    ['a right one before a wrong one', false, ['api-key', token, 'api-key', 'x']],
    ['a list', false, ['x-api-key', `${token}, ${token}`]],
    ['Proxy-Authorization', false, ['Proxy-Authorization', `Bearer ${token}`]],
  ];
  for (const [what, isShown, rawHeaders] of cases) {
    it(`${isShown ? 'takes' : 'refuses'} ${what}`, () =>
      assert.equal(showsToken(rawHeaders, token), isShown));
  }
});

describe('requestHeaders', () => {
  const upstream = {
    providerId: 'p',
    baseUrl: 'https://m.example/v1',
    authentication: 'bearer',
    key: 'K',
  } as const;
  const passed = (rawHeaders: string[]): string[] =>
    requestHeaders(rawHeaders, upstream, 'm.example').slice(2, -2);

  it('names the host and adds the key, last', () => {
    assert.deepEqual(requestHeaders([], upstream, 'm.example'), [
      'Host',
      'm.example',
      'Authorization',
      'Bearer K',
    ]);
  });

  it('passes what the request is about, as it is written and as often', () => {
    const headers = [
      ...[
        'Content-Type',
        'application/json',
        'Accept-Encoding',
        'identity',
        'User-Agent',
        'opencode/1',
        'X-A',
        '1',
      ],
      ...['X-A', '2', 'anthropic-version', '2023-06-01', 'x-session-id', 'ses_1', 'Idempotency-Key', 'i'],
      ...['OpenAI-Organization', 'o', 'X-Stainless-Lang', 'js', 'Content-Encoding', 'gzip'],
    ];
    assert.deepEqual(passed(headers), headers);
  });

  for (const name of [
    ...[
      'Authorization',
      'X-Api-Key',
      'api-key',
      'Proxy-Authorization',
      'Cookie',
      'X-Goog-Api-Key',
      'X-Auth-Token',
    ],
    ...[
      'Ocp-Apim-Subscription-Key',
      'X-Amz-Security-Token',
      'Forwarded',
      'X-Forwarded-For',
      'Via',
      'X-Real-IP',
    ],
    ...['X-Original-URL', 'X-Rewrite-URL', 'X-HTTP-Method-Override', 'X-Method-Override', 'Host', 'Expect'],
    ...[
      'Connection',
      'Keep-Alive',
      'TE',
      'Trailer',
      'Transfer-Encoding',
      'Upgrade',
      'Content-Length',
      'X_Api_Key',
    ],
  ]) {
    it(`drops ${name}`, () => assert.deepEqual(passed([name, 'x']), []));
  }

  it('drops what Connection lists, but never the key', () => {
    const headers = requestHeaders(
      ['Connection', 'close, X-Hop, Authorization', 'X-Hop', '1', 'X-Kept', '2'],
      upstream,
      'm.example',
    );
    assert.deepEqual(headers, ['Host', 'm.example', 'X-Kept', '2', 'Authorization', 'Bearer K']);
  });

  it('writes the key as the provider wants it', () => {
    assert.deepEqual(keyHeader({ ...upstream, authentication: 'x-api-key' }), ['x-api-key', 'K']);
    assert.deepEqual(keyHeader({ ...upstream, authentication: 'api-key' }), ['api-key', 'K']);
    assert.deepEqual(keyHeader({ ...upstream, authentication: 'none' }), []);
    assert.deepEqual(
      keyHeader({ providerId: 'p', baseUrl: 'https://m.example', authentication: 'bearer' }),
      [],
    );
  });
});

describe('responseHeaders', () => {
  it('passes everything but the connection’s own, and what leads elsewhere or back in', () => {
    const kept = [
      'Content-Type',
      'text/event-stream',
      'Retry-After',
      '5',
      'Content-Encoding',
      'gzip',
      'X-A',
      'a',
    ];
    const dropped = [
      'Location',
      'https://evil.example',
      'Set-Cookie',
      's=1',
      'Connection',
      'X-Hop',
      'X-Hop',
      '1',
    ];
    assert.deepEqual(responseHeaders([...dropped, ...kept, 'Transfer-Encoding', 'chunked']), kept);
  });
});
