import assert from 'node:assert/strict';
import { isException, siteProxyFrom } from '../../../src/gateway/siteProxy';
import { type Target, targetOfAuthority } from '../../../src/gateway/target';

describe('the proxy of a site', () => {
  const urlFrom = (environment: Record<string, string>, httpProxySetting?: string): string | undefined =>
    siteProxyFrom({ environment, ...(httpProxySetting === undefined ? {} : { httpProxySetting }) })?.url;

  it('is that of the setting, else that of the environment', () => {
    const all = {
      ...{
        https_proxy: 'http://a:1',
        HTTPS_PROXY: 'http://b:1',
        http_proxy: 'http://c:1',
        HTTP_PROXY: 'http://d:1',
      },
      ALL_PROXY: 'http://e:1',
    };
    assert.equal(urlFrom(all, 'http://s:1'), 'http://s:1');
    assert.equal(urlFrom(all, ''), 'http://a:1');
    assert.equal(urlFrom({ ...all, https_proxy: '' }), 'http://b:1');
    assert.equal(urlFrom({ http_proxy: 'http://c:1', HTTP_PROXY: 'http://d:1' }), 'http://c:1');
    assert.equal(urlFrom({ HTTP_PROXY: 'http://d:1' }), 'http://d:1');
    assert.equal(urlFrom({ ALL_PROXY: 'http://e:1' }), undefined);
    assert.equal(urlFrom({}), undefined);
  });

  it('is written with its port, and without a path', () => {
    assert.equal(urlFrom({}, 'http://Proxy.Example/'), 'http://proxy.example:80');
    assert.equal(urlFrom({}, 'https://proxy.example'), 'https://proxy.example:443');
    assert.equal(urlFrom({}, 'proxy.example:3128'), 'http://proxy.example:3128');
    assert.equal(urlFrom({}, 'http://[2001:db8::1]:3128/x?y'), 'http://[2001:db8::1]:3128');
  });

  it('is none when it does not speak HTTP, or is no URL', () => {
    for (const text of [
      'socks5://proxy.example:1080',
      'file:///etc',
      'http://',
      'http://a b',
      'http://x:99999',
    ]) {
      assert.equal(urlFrom({}, text), undefined, text);
    }
  });

  it('has its credentials beside its URL', () => {
    const proxy = siteProxyFrom({
      httpProxySetting: 'http://me:p%40ss%25@proxy.example:3128',
      environment: {},
    });
    assert.deepEqual(proxy, {
      url: 'http://proxy.example:3128',
      exceptions: [],
      authorization: `Basic ${Buffer.from('me:p@ss%').toString('base64')}`,
    });
    const raw = siteProxyFrom({ environment: { https_proxy: 'http://me:100%@proxy.example:3128' } });
    assert.equal(raw?.authorization, `Basic ${Buffer.from('me:100%').toString('base64')}`);
    const set = {
      httpProxySetting: 'http://me:pw@proxy.example',
      authorizationSetting: 'Bearer x',
      environment: {},
    };
    assert.equal(siteProxyFrom(set)?.authorization, 'Bearer x');
  });

  it('has the exceptions of the setting, else of the environment', () => {
    const environment = {
      https_proxy: 'http://p:1',
      no_proxy: ' localhost, .example.org,,10.0.0.0/8 ',
      NO_PROXY: 'x',
    };
    assert.deepEqual(siteProxyFrom({ environment })?.exceptions, ['localhost', '.example.org', '10.0.0.0/8']);
    assert.deepEqual(siteProxyFrom({ environment, noProxySetting: ['a'] })?.exceptions, ['a']);
  });

  it('is never asked for this computer', () => {
    for (const authority of ['localhost:80', 'a.localhost:80', '127.0.0.1:8888', '127.9.9.9:1', '[::1]:80']) {
      assert.ok(isException(targetOfAuthority(authority) as Target, []), authority);
    }
    assert.ok(!isException(targetOfAuthority('128.0.0.1:80') as Target, []));
  });

  it('is not asked for its exceptions', () => {
    const excepted = (exception: string, authority: string): boolean =>
      isException(targetOfAuthority(authority) as Target, [exception]);
    for (const [exception, authority] of [
      ...[
        ['*', 'example.org:443'],
        ['example.org', 'example.org:443'],
        ['Example.ORG.', 'example.org:443'],
      ],
      ...[
        ['example.org', 'www.example.org:443'],
        ['.example.org', 'www.example.org:443'],
      ],
      ...[
        ['*.example.org', 'www.example.org:443'],
        ['example.org:8080', 'example.org:8080'],
      ],
      ...[
        ['10.0.0.1', '10.0.0.1:80'],
        ['10.0.0.0/8', '10.1.2.3:80'],
        ['2001:db8::1', '[2001:db8::1]:80'],
      ],
      ...[
        ['[2001:db8::1]:80', '[2001:db8::1]:80'],
        ['2001:db8::/32', '[2001:db8::5]:80'],
      ],
    ] as [string, string][]) {
      assert.ok(excepted(exception, authority), `${exception} ${authority}`);
    }
    for (const [exception, authority] of [
      ...[
        ['example.org', 'notexample.org:443'],
        ['example.org', 'example.org.evil.test:443'],
      ],
      ...[
        ['example.org:8080', 'example.org:443'],
        ['10.0.0.0/8', '11.0.0.1:80'],
        ['10.0.0.0/99', '10.0.0.1:80'],
      ],
      ...[
        ['10.0.0.0/8', 'example.org:80'],
        ['0.0.1', '10.0.0.1:80'],
        ['example/x', 'example:80'],
        ['', 'example:80'],
      ],
      ...[
        ['2001:db8::/32', '10.0.0.1:80'],
        ['10.0.0.0/', '10.0.0.1:80'],
        ['x/8', '10.0.0.1:80'],
        ['@', 'example:80'],
      ],
    ] as [string, string][]) {
      assert.ok(!excepted(exception, authority), `${exception} ${authority}`);
    }
  });
});
