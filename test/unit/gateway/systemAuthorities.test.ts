import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { checkModel } from '../../../src/gateway/modelCheck';
import { realEffects } from '../../../src/gateway/realEffects';
import { secureContextTrusting } from '../../../src/gateway/secureContext';
import { systemAuthorities } from '../../../src/gateway/systemAuthorities';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { World } from '../../support/world';

describe('the authorities of the system', () => {
  const folder = useTemporaryFolder();
  let site: World;
  let other: World;
  beforeEach(() => {
    site = new World(join(folder(), 'site'));
    other = new World(join(folder(), 'other'));
  });
  afterEach(() => site.close());

  const file = (name: string, ...parts: string[]): string => {
    const path = join(folder(), name);
    writeFileSync(path, parts.join('\n'));
    return path;
  };
  const pem = (world: World): string => readFileSync(world.authority, 'utf8');

  it('are those of the first bundle that is there and of NODE_EXTRA_CA_CERTS, without those of Node', () => {
    const bundle = file('bundle', '# The site', rootCertificates[0] ?? '', pem(site), pem(site));
    assert.deepEqual(systemAuthorities([join(folder(), 'none'), bundle, other.authority], other.authority), [
      pem(site).trim(),
      pem(other).trim(),
    ]);
    assert.deepEqual(systemAuthorities([bundle], ''), [pem(site).trim()]);
  });

  it('are none where nothing can be read, or too much', () => {
    const long = file('long', pem(site));
    truncateSync(long, 5 * 1024 * 1024);
    for (const path of [
      join(folder(), 'none'),
      folder(),
      long,
      file('broken', '-----BEGIN CERTIFICATE-----'),
    ]) {
      assert.deepEqual(systemAuthorities([path], path), [], path);
    }
  });

  it('open a site that has a certificate of one of them', async () => {
    await site.site('models.example', '192.0.2.1', (_, response) => response.end('{"data":[]}'));
    const upstream = {
      providerId: 'p',
      baseUrl: 'https://models.example/v1',
      authentication: 'none',
    } as const;
    const state = async (authorities: readonly string[]): Promise<string> => {
      const effects = { ...site.effects, authorities };
      return (await checkModel(upstream, { effects }, new AbortController().signal)).health.state;
    };
    assert.equal(await state(systemAuthorities([other.authority], site.authority)), 'reachable');
    assert.equal(await state(systemAuthorities([site.authority], '')), 'reachable');
    assert.equal(await state(systemAuthorities([other.authority], '')), 'certificate');
  });

  it('are read once, and trusted by one context for all connections', () => {
    assert.equal(realEffects.authorities, realEffects.authorities);
    const authorities = [pem(site)];
    assert.equal(secureContextTrusting(authorities), secureContextTrusting(authorities));
    assert.equal(secureContextTrusting(), secureContextTrusting());
    assert.notEqual(secureContextTrusting(authorities), secureContextTrusting());
  });
});
