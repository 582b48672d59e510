import assert from 'node:assert/strict';
import { answerHeaders, type PlainRequest, readPlainRequest } from '../../../src/gateway/plainRequest';

const read = (method: string, url: string, ...rawHeaders: string[]): PlainRequest | string =>
  readPlainRequest({ method, url, rawHeaders });
const framing = (method: string, ...rawHeaders: string[]): unknown => {
  const request = read(method, 'http://allowed.example/', ...rawHeaders);
  return typeof request === 'string' ? request : [request.headers.slice(2, -2), request.hasBody];
};

/** What the parser of node:http would not let through counts as well: it is not the only wall. */
describe('a plain request', () => {
  it('is framed in one way, or malformed', () => {
    const [length, coding] = ['Content-Length', 'Transfer-Encoding'];
    assert.deepEqual(framing('GET'), [[], false]);
    assert.deepEqual(framing('POST'), [[length, '0'], false]);
    assert.deepEqual(framing('POST', 'content-length', '007'), [[length, '7'], true]);
    assert.deepEqual(framing('GET', 'transfer-ENCODING', 'Chunked'), [[coding, 'chunked'], true]);
    for (const headers of [
      ...[
        [length, '6', coding, 'chunked'],
        [coding, 'chunked', length, '6'],
        [length, '6', length, '6'],
      ],
      ...[
        [coding, 'chunked', coding, 'chunked'],
        [coding, 'gzip, chunked'],
        [coding, 'identity'],
        [coding, ''],
      ],
      ...[
        [length, '+6'],
        [length, '6, 6'],
        [length, '0x6'],
        [length, ''],
        [length, '-1'],
        [length, '9'.repeat(30)],
      ],
    ] as string[][]) {
      assert.equal(framing('POST', ...headers), 'malformed', headers.join(' '));
    }
  });

  it('keeps its framing whatever Connection lists', () => {
    const request = framing('POST', 'Connection', 'content-length, host', 'Content-Length', '6');
    assert.deepEqual(request, [['Content-Length', '6'], true]);
  });

  it('has to name the same host twice, if it names it twice', () => {
    for (const host of ['allowed.example', 'ALLOWED.example.', 'allowed.example:80']) {
      assert.equal(typeof read('GET', 'http://allowed.example/', 'Host', host), 'object', host);
    }
    for (const host of ['allowed.example:81', 'other.example', '', 'u@allowed.example', 'allowed.example/']) {
      assert.equal(read('GET', 'http://allowed.example/', 'Host', host), 'malformed', host);
    }
    const twice = ['Host', 'allowed.example', 'Host', 'allowed.example'];
    assert.equal(read('GET', 'http://allowed.example/', ...twice), 'malformed');
  });

  it('gets an answer without what was for the proxy', () => {
    const raw = [
      'Connection',
      'X-Hop',
      'x-hop',
      '1',
      'Keep-Alive',
      'a',
      'Proxy-Authenticate',
      'Basic',
      'X-Mine',
      '2',
    ];
    assert.deepEqual(answerHeaders([...raw, 'Transfer-Encoding', 'chunked', 'Upgrade', 'h2c']), [
      'X-Mine',
      '2',
    ]);
  });
});
