import assert from 'node:assert/strict';
import { isReadableOnTheWay, normaliseModelAddress, originOf } from '../../../src/gateway/modelAddress';

describe('normaliseModelAddress', () => {
  const good: readonly [string, string][] = [
    ['https://models.example.org/v1', 'https://models.example.org/v1'],
    [' https://models.example.org/v1/ ', 'https://models.example.org/v1'],
    ['https://models.example.org/v1///', 'https://models.example.org/v1'],
    ['HTTPS://Models.Example.ORG:443/v1', 'https://models.example.org/v1'],
    ['http://models.example.org:80', 'http://models.example.org'],
    ['https://models.example.org./v1', 'https://models.example.org/v1'],
    ['https://models.example.org:8443/V1', 'https://models.example.org:8443/V1'],
    ['https://models.example.org/a/./b/../v1', 'https://models.example.org/a/v1'],
    ['https://models.example.org/a/%2e%2E/v1', 'https://models.example.org/v1'],
    ['https://bücher.example/v1', 'https://xn--bcher-kva.example/v1'],
    ['http://localhost:11434/v1', 'http://localhost:11434/v1'],
    ['http://0x7f.1:8000', 'http://127.0.0.1:8000'],
    ['http://2130706433', 'http://127.0.0.1'],
    ['http://[::1]:8080/v1', 'http://[::1]:8080/v1'],
    ['http://[::FFFF:127.0.0.1]/v1', 'http://127.0.0.1/v1'],
  ];
  for (const [text, baseUrl] of good) {
    it(`reads ${JSON.stringify(text)} as ${baseUrl}`, () => {
      assert.deepEqual(normaliseModelAddress(text), { baseUrl });
      assert.deepEqual(normaliseModelAddress(baseUrl), { baseUrl });
    });
  }

  const bad: readonly [string, RegExp][] = [
    ['', /no base URL/],
    ['models.example.org/v1', /no URL/],
    ['localhost:11434/v1', /begins with/],
    ['ftp://models.example.org', /begins with/],
    ['file:///etc/passwd', /begins with/],
    ['javascript:alert(1)', /begins with/],
    ['https:models.example.org', /begins with/],
    ['https:///models.example.org', /begins with/],
    ['https://key@models.example.org/v1', /user or a password/],
    ['https://a:b@models.example.org/v1', /user or a password/],
    ['https://@models.example.org/v1', /user or a password/],
    ['https://models.example.org@evil.example/v1', /user or a password/],
    ['https://models.example.org/v1?key=1', /query or a fragment/],
    ['https://models.example.org/v1?', /query or a fragment/],
    ['https://models.example.org/v1#', /query or a fragment/],
    ['https://models.example.org/a%2fb', /escape/],
    ['https://models.example.org/a%5cb', /escape/],
    ['https://models.example.org//v1', /empty parts/],
    ['https://models.example.org\\v1', /backslash/],
    ['https://models.example.org/v1\r\nX-A: b', /control character/],
    ['https://models.exam\tple.org/v1', /control character/],
    ['https://models.example.org/v 1', /space/],
    ['https://models.example.org:0/v1', /host and port/],
    ['https://models.example.org:70000/v1', /no URL/],
    ['https://a..b/v1', /host and port/],
    ['{env:MODEL_URL}', /from a variable or a file/],
    ['https://{file:~/host}/v1', /from a variable or a file/],
    [`https://models.example.org/${'a'.repeat(2048)}`, /longer than/],
  ];
  for (const [text, reason] of bad) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () => {
      const address = normaliseModelAddress(text);
      assert.ok('refused' in address, JSON.stringify(address));
      assert.match(address.refused.text, reason);
      // what the text says is not repeated to a person
      assert.deepEqual(
        address.refused.values.filter((value) => typeof value === 'string'),
        [],
      );
    });
  }
});

describe('originOf', () => {
  it('gives what a person approves', () => {
    assert.equal(originOf('https://models.example.org:8443/v1/x'), 'https://models.example.org:8443');
    assert.equal(originOf('http://[::1]:8080'), 'http://[::1]:8080');
  });
});

describe('isReadableOnTheWay', () => {
  it('is so without TLS, but on this computer', () => {
    const open = ['http://models.example.org/v1', 'http://10.0.0.1:8000/v1', 'http://[2001:db8::1]/v1'];
    const safe = [
      'https://models.example.org/v1',
      'http://localhost:11434/v1',
      'http://127.0.0.2',
      'http://[::1]/v1',
    ];
    assert.deepEqual([...open, ...safe].filter(isReadableOnTheWay), open);
  });
});
