import assert from 'node:assert/strict';
import { withProxyVariables } from '../../../src/gateway/proxyVariables';
import { siteProxyFrom } from '../../../src/gateway/siteProxy';

const httpProxySetting = 'http://proxy.example:3128';
const noProxySetting = ['.example.org', '10.0.0.0/8'];

describe('the variables for a site’s proxy', () => {
  it('are those of VS Code’s settings where the environment has none', () => {
    const environment = { HOME: '/home/ada', https_proxy: '' };
    assert.deepEqual(withProxyVariables({ httpProxySetting, noProxySetting, environment }), {
      HOME: '/home/ada',
      http_proxy: httpProxySetting,
      https_proxy: httpProxySetting,
      no_proxy: '.example.org,10.0.0.0/8',
    });
  });

  it('are left as they are where the environment has one', () => {
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']) {
      const environment = { [name]: 'http://other:1' };
      assert.deepEqual(withProxyVariables({ httpProxySetting, environment }), environment);
    }
    for (const name of ['no_proxy', 'NO_PROXY']) {
      const environment = { [name]: 'localhost', https_proxy: 'http://other:1' };
      assert.deepEqual(withProxyVariables({ httpProxySetting, noProxySetting, environment }), environment);
    }
  });

  it('are none where there is no setting, or none that speaks HTTP', () => {
    for (const setting of ['', 'socks5://proxy.example:1080', 'http://']) {
      assert.deepEqual(withProxyVariables({ httpProxySetting: setting, environment: {} }), {});
    }
    assert.deepEqual(withProxyVariables({ environment: {} }), {});
  });

  it('hold name and password so that they are read as they were', () => {
    for (const [name, password] of [
      ['me', 'hunter2'],
      ['ada@site', 'p@ss:w/rd?#%é ü'],
      ['me', ''],
      ['', 'only'],
    ] as const) {
      const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
      const said = withProxyVariables({
        ...{ httpProxySetting, authorizationSetting: authorization, environment: {} },
      });
      const address = said['https_proxy'] ?? '';
      assert.match(address, /^http:\/\/[\w%.~!'()*-]*:[\w%.~!'()*-]*@proxy\.example:3128$/);
      assert.equal(siteProxyFrom({ environment: said })?.authorization, authorization);
    }
    const raw = withProxyVariables({ httpProxySetting: 'http://me:100%@[::1]:3128', environment: {} });
    assert.equal(raw['http_proxy'], 'http://me:100%25@[::1]:3128');
  });

  it('hold nothing of another kind of authorization, which no address can', () => {
    const authorizationSetting = 'Bearer abcdef';
    const said = withProxyVariables({ httpProxySetting, authorizationSetting, environment: {} });
    assert.equal(said['https_proxy'], httpProxySetting);
  });
});
