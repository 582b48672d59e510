import assert from 'node:assert/strict';
import { forwardsOf, hasEgress, hasModels } from '../../../src/sandbox/gatewayPlan';
import type { NetworkAccess } from '../../../src/sandbox/networkAccess';
import { runDirectoryAt } from '../../../src/sandbox/runDirectory';
import type { NetworkMode } from '../../../src/sandbox/specification';

const run = runDirectoryAt('/tmp/sandboxed-agent-x');
const model = {
  providerId: 'lab',
  baseUrl: 'https://models.example.org/v1',
  authentication: 'bearer',
} as const;
const egress = { port: 3128, socket: '/run/sandboxed-agent/egress.sock' };
const models = { port: 3129, socket: '/run/sandboxed-agent/models.sock' };

describe('forwardsOf', () => {
  const cases: [network: NetworkMode, models: NetworkAccess['models'], expected: unknown[]][] = [
    ['restricted', [], [egress]],
    ['restricted', [model], [egress, models]],
    ['none', [], []],
    ['none', [model], [models]],
    ['open', [model], []],
  ];
  for (const [network, upstreams, expected] of cases) {
    it(`has ${expected.length} with ${network} and ${upstreams.length} models`, () => {
      assert.deepEqual(
        forwardsOf({ network, access: { allowedHosts: [], models: upstreams } }, run),
        expected,
      );
    });
  }
});

describe('the parts of a gateway', () => {
  it('are the proxy with a restricted network, and the models wherever there are some', () => {
    const part = (network: NetworkMode, upstreams: NetworkAccess['models'] = []) => ({
      network,
      access: { allowedHosts: [], models: upstreams },
    });
    assert.deepEqual(
      (['restricted', 'open', 'none'] as const).map((network) => hasEgress(part(network))),
      [true, false, false],
    );
    assert.equal(hasModels(part('open', [model])), true);
    assert.equal(hasModels(part('restricted')), false);
  });
});
