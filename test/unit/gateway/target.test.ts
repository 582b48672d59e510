import assert from 'node:assert/strict';
import { targetOfAuthority, targetOfUrl } from '../../../src/gateway/target';
import { normaliseHost } from '../../../src/gateway/hostName';
import { mutate, randomNumbers } from './support/randomInput';

const name = (host: string, port = 443): object => ({ kind: 'name', host, port });
const address = (host: string, port = 443): object => ({ kind: 'address', host, port });

describe('the target of a CONNECT request', () => {
  it('is one host, however it is written', () => {
    assert.deepEqual(targetOfAuthority('example.org:443'), name('example.org'));
    assert.deepEqual(targetOfAuthority('EXAMPLE.org.:443'), name('example.org'));
    assert.deepEqual(targetOfAuthority('XN--BCHER-KVA.example:8443'), name('xn--bcher-kva.example', 8443));
  });

  it('is an address in every notation that a resolver or an URL takes for one', () => {
    const loopback = [
      ...[
        '127.0.0.1',
        '127.1',
        '127.0.1',
        '2130706433',
        '0x7f000001',
        '0x7F.1',
        '0177.0.0.1',
        '017700000001',
      ],
      ...[
        '127.0.0.1.',
        '0x7f.0x0.0x0.0x1',
        '[::ffff:127.0.0.1]',
        '[::FFFF:7f00:1]',
        '[0:0:0:0:0:ffff:7f00:0001]',
      ],
    ];
    for (const text of loopback) {
      assert.deepEqual(targetOfAuthority(`${text}:443`), address('127.0.0.1'), text);
    }
    assert.deepEqual(targetOfAuthority('[0:0::1]:443'), address('::1'));
    assert.deepEqual(targetOfAuthority('[::127.0.0.1]:443'), address('::7f00:1'));
    assert.deepEqual(targetOfAuthority('0:443'), address('0.0.0.0'));
  });

  it('is nothing when it could be read in two ways', () => {
    const malformed = [
      ...[
        '',
        ':443',
        'example.org',
        'example.org:',
        'example.org:0',
        'example.org:65536',
        'example.org:0443',
      ],
      ...['user@example.org:443', 'example.org:80@evil.test:443', 'example.org:443@evil.test', 'a:b@c:443'],
      ...[
        'example.org\\@evil.test:443',
        'example.org#@evil.test:443',
        'example.org/:443',
        'example.org?:443',
      ],
      ...[
        'exa mple.org:443',
        'example.org\t:443',
        'example%2eorg:443',
        'example.org%00:443',
        '%31%32%37.0.0.1:443',
      ],
      ...[
        '[fe80::1%eth0]:443',
        '[fe80::1%25eth0]:443',
        '::1:443',
        '[::1]',
        '[::1]x:443',
        '[[::1]]:443',
        '[]:443',
      ],
      ...[
        '256.1.1.1:443',
        '1.2.3.4.5:443',
        '127.0.0.09:443',
        '0x100000000:443',
        'example..org:443',
        'bücher.example:443',
      ],
      ...[
        'https://example.org:443',
        'example.org:443/',
        'example.org:+443',
        'example.org:4 43',
        'example.org:443.',
      ],
      ...['*.example.org:443', 'xn--a:443', 'example.org..:443', '.:443'],
    ];
    for (const text of malformed) {
      assert.equal(targetOfAuthority(text), undefined, text);
    }
  });
});

describe('the target of a request in absolute form', () => {
  it('is the host and the path of an http URL', () => {
    assert.deepEqual(targetOfUrl('http://example.org/a?b'), {
      target: name('example.org', 80),
      path: '/a?b',
    });
    assert.deepEqual(targetOfUrl('HTTP://Example.org.:8080'), {
      target: name('example.org', 8080),
      path: '/',
    });
    assert.deepEqual(targetOfUrl('http://example.org?x=http://a@b/'), {
      target: name('example.org', 80),
      path: '/?x=http://a@b/',
    });
    assert.deepEqual(targetOfUrl('http://[::1]:81/'), { target: address('::1', 81), path: '/' });
  });

  it('is nothing for another scheme or form', () => {
    const malformed = [
      ...[
        '/',
        '/a',
        '*',
        'example.org',
        'https://example.org/',
        'ftp://example.org/',
        'file:///etc/passwd',
        'http:/a/',
      ],
      ...[
        'http://',
        'http:///a',
        'http://u@example.org/',
        'http://u:p@example.org/',
        'http://example.org/#a',
      ],
      ...[
        'http://example.org\\@evil.test/',
        'http://example.org:80:80/',
        'http://example.org:/',
        'http:example.org',
      ],
      ...['//example.org/', 'http://example.org/a b', 'http://example.org/\r\n', 'http://example.org/ü'],
    ];
    for (const text of malformed) {
      assert.equal(targetOfUrl(text), undefined, text);
    }
  });
});

describe('hostile targets', () => {
  it('are a host that stays what it is when read again, or nothing', () => {
    const random = randomNumbers(4);
    const seeds = [
      'example.org:443',
      '127.0.0.1:80',
      '[::ffff:1.2.3.4]:443',
      'xn--bcher-kva.example:1',
      '0x7f.1:443',
    ];
    const alphabet = 'ax09.-_:[]@/\\%#?*\u0000\t xn-ü。０';
    for (let round = 0; round < 3000; round += 1) {
      const text = mutate(seeds[round % seeds.length] as string, alphabet, random);
      const target = targetOfAuthority(text);
      if (target) {
        assert.match(target.host, /^[a-z0-9._-]+$|^[0-9a-f:]+$/, JSON.stringify(text));
        const host = target.host.includes(':') ? `[${target.host}]` : target.host;
        assert.deepEqual(targetOfAuthority(`${host}:${target.port}`), target, JSON.stringify(text));
        const { username, hostname } = new URL(`http://${text}/`);
        const readByOthers = normaliseHost(hostname)?.host;
        assert.deepEqual([username, readByOthers], ['', target.host], JSON.stringify(text));
      }
      targetOfUrl(`http://${text}/`);
    }
  });
});
