import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oursTarget } from '../../scripts/probes/targets';
import { probes } from '../../src/probes/probes';
import { details, notHeld, runOn } from './support/battery';
import { withLyingProbes } from './support/lyingProbes';
import { targetParts } from './support/unverifiedTarget';

describe('the escape battery in an image that says that it tried, and did not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lies-'));

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has not held where the host would have seen the attempt', async () => {
    const parts = targetParts();
    const bundles = withLyingProbes(parts.bundles, folder);
    const judged = await runOn(await oursTarget({ ...parts, bundles }));
    const traced = probes.filter(({ leavesNoTrace }) => !leavesNoTrace).map(({ id }) => id);
    const expected = [
      ...traced.filter((id) => id.startsWith('network.proxy')),
      ...[
        'network.metadata',
        'network.deniedHost',
        'network.modelRedirect',
        'limits.stop',
        'limits.processes',
        'limits.memory',
        'limits.temporary',
        'limits.flood',
      ],
      ...['agentConfiguration', 'preload', 'homeConfiguration'].map((name) => `selfDowngrade.${name}`),
    ];
    assert.ok(expected.length > 20);
    const believed = expected.filter((id) => !notHeld(judged).includes(id));
    assert.deepEqual(believed, [], details(judged, believed));
  });
});
