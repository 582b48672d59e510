import assert from 'node:assert/strict';
import { formatHostEntry, hostEntryFor, matchesEntry, parseHostEntry } from '../../../src/gateway/hostEntry';
import { UserError } from '../../../src/sandbox/userError';

const normalised = (text: string): string => formatHostEntry(parseHostEntry(text));
const matches = (entry: string, host: string, port = 443): boolean =>
  matchesEntry(parseHostEntry(entry), { kind: 'name', host, port });

describe('an entry of the allow-list', () => {
  it('is kept in one form, however it was written', () => {
    const forms: [string, string][] = [
      ['pypi.org', 'pypi.org'],
      ['  PyPI.Org.  ', 'pypi.org'],
      ['example.org:8080', 'example.org:8080'],
      ['*.Example.ORG.', '*.example.org'],
      ['*.example.org:8443', '*.example.org:8443'],
      ['bücher.example', 'xn--bcher-kva.example'],
      ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
      ['192.0.2.1:8080', '192.0.2.1:8080'],
      ['0xc0000201', '192.0.2.1'],
      ['[2001:DB8:0:0::1]:8443', '[2001:db8::1]:8443'],
      ['[::ffff:192.0.2.1]', '192.0.2.1'],
      ['login-node', 'login-node'],
    ];
    for (const [written, kept] of forms) {
      assert.equal(normalised(written), kept, written);
      assert.equal(normalised(kept), kept);
    }
  });

  it('is refused when it is no host, and what was written is not repeated', () => {
    const wrong = [
      ...[
        '',
        ' ',
        '*',
        '*.',
        '*.com',
        '*.com.',
        '**.example.org',
        'a.*.org',
        'foo*.example.org',
        '.example.org',
      ],
      ...['https://pypi.org', 'pypi.org/simple', 'user@pypi.org', 'user:pw@pypi.org', 'a b.org', 'a..org'],
      ...['pypi.org:', 'pypi.org:0', 'pypi.org:65536', 'pypi.org:080', 'pypi.org:x', 'pypi.org:443:443'],
      ...['::1', '2001:db8::1', '[::1', '[fe80::1%eth0]', '[fe80::1%25eth0]', '[127.0.0.1]', '*.192.0.2.1'],
      ...['256.0.0.1', '1.2.3.4.5', 'a%2eorg', 'a\\b.org', '-a.org', 'a-.org', 'xn--a.org', 'a\u0000.org'],
      ...[
        'a#.org',
        'a?.org',
        `${'a'.repeat(64)}.org`,
        `${'a.'.repeat(127)}org`,
        'a'.repeat(5000),
        '[x](command:e)',
      ],
    ];
    for (const text of wrong) {
      assert.throws(
        () => parseHostEntry(text),
        (error) =>
          error instanceof UserError &&
          error.code === 'host.invalid' &&
          error.description.values.length === 0 &&
          !error.message.includes('command:'),
        text,
      );
    }
  });

  it('says what is wrong with what people often write', () => {
    const message = (text: string): string => {
      try {
        return normalised(text);
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.match(message('https://pypi.org/simple'), /without https:/);
    assert.match(message('me@pypi.org'), /without a user/);
    assert.match(message('*.com'), /a dot in it/);
    assert.match(message('*'), /sub-domains/);
  });

  it('means the ports of HTTPS and HTTP, or the one that it names', () => {
    assert.ok(matches('example.org', 'example.org', 443));
    assert.ok(matches('example.org', 'example.org', 80));
    assert.ok(!matches('example.org', 'example.org', 8080));
    assert.ok(matches('example.org:8080', 'example.org', 8080));
    assert.ok(!matches('example.org:8080', 'example.org', 443));
  });

  it('means only this host, and with a star only what is below', () => {
    assert.ok(!matches('example.org', 'www.example.org'));
    assert.ok(!matches('example.org', 'example.org.evil.test'));
    assert.ok(matches('*.example.org', 'www.example.org'));
    assert.ok(matches('*.example.org', 'a.b.example.org'));
    assert.ok(!matches('*.example.org', 'example.org'));
    assert.ok(!matches('*.example.org', 'evilexample.org'));
    assert.ok(!matches('192.0.2.1', '192.0.2.1'), 'a name is no address');
  });

  it('can be made from what was denied, as narrow as that was', () => {
    assert.equal(formatHostEntry(hostEntryFor('example.org', 443)), 'example.org');
    assert.equal(formatHostEntry(hostEntryFor('example.org', 22)), 'example.org:22');
    assert.equal(formatHostEntry(hostEntryFor('2001:db8::1', 8443)), '[2001:db8::1]:8443');
    assert.throws(() => hostEntryFor('*.example.org:1', 443), UserError);
    assert.throws(() => hostEntryFor('*.example.org', 443), UserError);
    assert.throws(() => hostEntryFor('user@example.org', 0), UserError);
  });
});
