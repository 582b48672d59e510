import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { formatHostEntry, parseHostEntry } from '../../../src/gateway/hostEntry';
import { hostPresets } from '../../../src/gateway/presets';
import { projectFile } from '../../support/projectFile';

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

  it('are in docs/network.md with all their hosts, and no others', () => {
    const page = readFileSync(projectFile('docs/network.md'), 'utf8');
    const rows = /\| Preset \| Hosts \|\n(?:\|.*\n)+/.exec(page)?.[0].trimEnd().split('\n').slice(2) ?? [];
    assert.equal(rows.length, hostPresets.length);
    hostPresets.forEach(({ id, hosts }, index) => {
      const [, , cell = ''] = rows[index]?.split('|') ?? [];
      const [whole = '', domain, parts = ''] = cell.split(/and of `([\w.]+)`:/);
      const namesIn = (text: string): string[] =>
        [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      const named = [...namesIn(whole), ...namesIn(parts).map((name) => `${name}.${domain}`)];
      assert.deepEqual(named, hosts, id);
    });
  });

  it('have ids and titles of their own', () => {
    assert.equal(new Set(hostPresets.map(({ id }) => id)).size, hostPresets.length);
    assert.equal(new Set(hostPresets.map(({ title }) => title.text)).size, hostPresets.length);
  });
});
