import assert from 'node:assert/strict';
import { formatHostEntry, parseHostEntry } from '../../../src/gateway/hostEntry';
import { hostPresets } from '../../../src/gateway/presets';

describe('the presets', () => {
  it('hold entries as they are kept, each once', () => {
    for (const { id, hosts } of hostPresets) {
      assert.deepEqual(
        hosts.map((host) => formatHostEntry(parseHostEntry(host))),
        hosts,
        id,
      );
      assert.equal(new Set(hosts).size, hosts.length, id);
    }
  });

  it('have ids and titles of their own', () => {
    assert.equal(new Set(hostPresets.map(({ id }) => id)).size, hostPresets.length);
    assert.equal(new Set(hostPresets.map(({ title }) => title.text)).size, hostPresets.length);
  });
});
