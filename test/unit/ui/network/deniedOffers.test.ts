import assert from 'node:assert/strict';
import type { NetworkEntry } from '../../../../src/gateway/gateway';
import { hostMatcher } from '../../../../src/ui/network/allowedHostsList';
import { deniedOffers } from '../../../../src/ui/network/deniedOffers';
import type { LoggedSandbox } from '../../../../src/ui/network/networkLog';
import type { HostDecisions } from '../../../../src/ui/network/networkLogGroups';
import { allowedEntry, entryOf, hostileHosts, restrictedSandbox } from '../../../support/networkEntries';

const { summary } = restrictedSandbox();

function logOf(entries: readonly NetworkEntry[], change: Partial<LoggedSandbox['summary']> = {}) {
  return { summary: { ...summary, ...change }, isRunning: true, entries };
}

function offered(logs: readonly LoggedSandbox[], decisions: Partial<HostDecisions> = {}): string[] {
  const decided = { allows: () => false, keptDenied: new Set<string>(), ...decisions };
  return deniedOffers(logs, summary.workspace, () => decided).map(({ host, port }) => `${host}:${port}`);
}

describe('the denied hosts that Allowed Hosts offers', () => {
  const time = entryOf().time;
  const one = entryOf({ id: 1, host: 'one.example', time });
  const two = entryOf({ id: 2, host: 'two.example', port: 8080, time: time + 1 });

  it('are those of the sandboxes for the folder, the latest first, each once', () => {
    const again = { ...one, id: 3, time: time + 2 };
    const elsewhere = logOf([entryOf({ host: 'elsewhere.example' })], { id: 'c', workspace: '/elsewhere' });
    const logs = [logOf([one, two, allowedEntry()]), logOf([again], { id: 'b' }), elsewhere];
    assert.deepEqual(offered(logs), ['one.example:443', 'two.example:8080']);
  });

  it('are not those on which the user has decided', () => {
    const logs = [logOf([one, two])];
    assert.deepEqual(offered(logs, { allows: hostMatcher(['one.example']) }), ['two.example:8080']);
    assert.deepEqual(offered(logs, { keptDenied: new Set(['two.example']) }), ['one.example:443']);
  });

  it('are only what allowing would let through', () => {
    const inside = entryOf({ host: 'data.example', reason: 'privateAddress', address: '10.0.0.1' });
    const other = entryOf({ host: 'other.example', reason: 'notTls' });
    const hostile = hostileHosts.map((host, index) => entryOf({ id: 10 + index, host }));
    assert.deepEqual(offered([logOf([inside, other, ...hostile])]), ['data.example:443']);
  });

  it('are no more than somebody can look through', () => {
    const many = Array.from({ length: 1000 }, (_, id) => entryOf({ id, host: `h${id}.example`, time: id }));
    assert.equal(offered([logOf(many)]).length, 20);
    assert.equal(offered([logOf(many)])[0], 'h999.example:443');
  });
});
