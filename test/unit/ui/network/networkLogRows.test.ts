import assert from 'node:assert/strict';
import type { NetworkEntry, NetworkReason } from '../../../../src/gateway/gateway';
import { formatMessage } from '../../../../src/sandbox/message';
import { hostMatcher } from '../../../../src/ui/network/allowedHostsList';
import type { LoggedSandbox } from '../../../../src/ui/network/networkLog';
import {
  canBeAllowed,
  deniedHosts,
  isAllowedNow,
  noFilter,
  type HostDecisions,
} from '../../../../src/ui/network/networkLogGroups';
import { hostLabel, networkRows, type NetworkRow } from '../../../../src/ui/network/networkLogRows';
import { filterText, networkLogState } from '../../../../src/ui/network/networkLogState';
import { agoText, bytesText, durationText } from '../../../../src/ui/network/networkLogText';
import { allowedEntry, entryOf, hostileHosts, restrictedSandbox } from '../../../support/networkEntries';

const { summary } = restrictedSandbox();
const now = entryOf().time + 120_000;
const undecided: HostDecisions = { allows: () => false, keptDenied: new Set() };

function logOf(entries: readonly NetworkEntry[], change: Partial<LoggedSandbox> = {}): LoggedSandbox {
  return { summary, isRunning: true, entries, ...change };
}

function rowsOf(
  sandboxes: readonly LoggedSandbox[],
  decisions = undecided,
  filter: Parameters<typeof networkRows>[1]['filter'] = noFilter,
): NetworkRow[] {
  return networkRows(sandboxes, { filter, decisionsFor: () => decisions, now, render: formatMessage });
}

function onlyRow(...parameters: Parameters<typeof rowsOf>): NetworkRow {
  const [row, ...more] = rowsOf(...parameters);
  assert(row);
  assert.deepEqual(more, []);
  return row;
}

describe('the rows of the network log', () => {
  it('say host, verdict, age, traffic and duration of what was allowed', () => {
    const row = onlyRow([logOf([allowedEntry()])]);
    assert.equal(row.label, 'pypi.org:443');
    assert.equal(row.description, 'allowed · 2 min ago · 1.2 kB sent, 5.6 MB received · 1.5 s');
    assert.equal(
      row.accessibleLabel,
      'pypi.org:443, allowed, 2 min ago, 1.2 kB sent, 5.6 MB received, 1.5 s, project, Sandboxed Agent',
    );
    assert.equal(row.icon, 'check');
    assert.equal(row.contextValue, 'attempt');
  });

  it('say that a connection is open, and that it is not encrypted', () => {
    const { durationMilliseconds: _open, ...open } = allowedEntry({ kind: 'plain', port: 80 });
    const row = onlyRow([logOf([open])]);
    assert.match(row.description, /^allowed, open · not encrypted · /);
    assert.equal(row.icon, 'arrow-swap');
  });

  it('list what was denied once for each host and port, with the number of times', () => {
    const denied = Array.from({ length: 12 }, (_, index) => entryOf({ id: index + 1 }));
    const rows = rowsOf([logOf([...denied, entryOf({ id: 13, port: 8443 })])]);
    assert.deepEqual(
      rows.map(({ label, description }) => `${label}: ${description}`),
      [
        'tracker.example:8443: denied · not allowed · 2 min ago',
        'tracker.example:443: denied 12 times · not allowed · 2 min ago',
      ],
    );
  });

  it('list what was not denied each time', () => {
    assert.equal(rowsOf([logOf([allowedEntry({ id: 1 }), allowedEntry({ id: 2 })])]).length, 2);
  });

  it('come newest first, over all sandboxes', () => {
    const other = { ...summary, id: 'ffffffffffffffff' };
    const rows = rowsOf([
      logOf([allowedEntry({ id: 1, time: 1000, host: 'one.example' }), entryOf({ id: 2, time: 4000 })]),
      logOf([allowedEntry({ id: 1, time: 3000, host: 'two.example' })], { summary: other }),
    ]);
    assert.deepEqual(
      rows.map(({ label }) => label),
      ['tracker.example:443', 'two.example:443', 'one.example:443'],
    );
    assert.match(rows[0]?.description ?? '', / · project, Sandboxed Agent$/);
  });

  it('keep their id while more is denied', () => {
    const first = onlyRow([logOf([entryOf({ id: 1 })])]);
    const later = onlyRow([logOf([entryOf({ id: 2 }), entryOf({ id: 3 })])]);
    assert.equal(first.id, later.id);
  });

  it('give the reason as one sentence, and the times', () => {
    const row = onlyRow([logOf([entryOf({ reason: 'privateAddress', address: '10.0.0.7' })])]);
    const [host, reason, address] = row.tooltip.split('\n');
    assert.equal(host, 'tracker.example:443');
    assert.match(reason ?? '', /^The name leads to .*\.$/);
    assert.equal(address, 'Address: 10.0.0.7');
  });

  it('say of a denied host that opencode asks it by itself, where that is known', () => {
    const { tooltip } = onlyRow([logOf([entryOf({ host: 'github.com' })])]);
    assert.match(tooltip.split('\n')[2] ?? '', /^opencode itself asks this host for grammars/);
    assert.doesNotMatch(onlyRow([logOf([allowedEntry({ host: 'github.com' })])]).tooltip, /itself/);
    assert.doesNotMatch(onlyRow([logOf([entryOf({ host: 'evil.github.com' })])]).tooltip, /itself/);
  });

  const offered: readonly [NetworkReason, string][] = [
    ['notAllowed', 'denied allow once keep'],
    ['privateAddress', 'denied allow once keep'],
    ['malformed', 'denied keep'],
    ['otherServerName', 'denied keep'],
    ['notTls', 'denied keep'],
    ['tooManyConnections', 'denied keep'],
  ];
  for (const [reason, tags] of offered) {
    it(`offer for ${reason}: ${tags}`, () => {
      assert.equal(onlyRow([logOf([entryOf({ reason, address: '10.0.0.7' })])]).contextValue, tags);
    });
  }

  it('offer nothing for a sandbox that has ended but what counts for its folder', () => {
    assert.equal(onlyRow([logOf([entryOf()], { isRunning: false })]).contextValue, 'denied allow keep');
  });

  it('say what was decided since', () => {
    const allowed = { ...undecided, allows: hostMatcher(['tracker.example']) };
    const row = onlyRow([logOf([entryOf()])], allowed);
    assert.match(row.description, /^allowed now · denied · not allowed · /);
    assert.equal(row.contextValue, 'denied');
    const kept = onlyRow([logOf([entryOf()])], { ...undecided, keptDenied: new Set(['tracker.example']) });
    assert.match(kept.description, /^kept denied · denied · /);
    assert.equal(kept.contextValue, 'denied allow once');
    assert.equal(kept.icon, 'bell-slash');
  });

  it('take a host with a private address for allowed only when the address is, too', () => {
    const entry = entryOf({ reason: 'privateAddress', address: '10.0.0.7' });
    const name = { ...undecided, allows: hostMatcher(['tracker.example']) };
    assert.match(onlyRow([logOf([entry])], name).contextValue, /allow/);
    const both = { ...undecided, allows: hostMatcher(['tracker.example', '10.0.0.7']) };
    assert.equal(onlyRow([logOf([entry])], both).contextValue, 'denied');
  });

  it('can be filtered by verdict and by sandbox', () => {
    const other = { ...summary, id: 'ffffffffffffffff' };
    const logs = [
      logOf([
        allowedEntry({ id: 1 }),
        entryOf({ id: 2 }),
        entryOf({ id: 3, verdict: 'failed', reason: 'refused' }),
      ]),
      logOf([allowedEntry()], { summary: other }),
    ];
    const labels = (filter: Parameters<typeof rowsOf>[2]): string[] =>
      rowsOf(logs, undecided, filter).map(({ description }) => description.split(' · ')[0] ?? '');
    assert.deepEqual(labels({ verdict: 'denied' }), ['denied']);
    assert.deepEqual(labels({ verdict: 'failed' }), ['failed']);
    assert.deepEqual(labels({ verdict: 'all', sandboxId: other.id }), ['allowed']);
  });

  it('are at most 1000', () => {
    const many = Array.from({ length: 1000 }, (_, id) => entryOf({ id, host: `${id}.example` }));
    const logs = [logOf(many), logOf(many, { summary: { ...summary, id: 'ffffffffffffffff' } })];
    assert.equal(rowsOf(logs).length, 1000);
  });

  for (const host of hostileHosts) {
    it(`show ${JSON.stringify(host.slice(0, 40))} as plain text of one line`, () => {
      const { label, description, accessibleLabel, tooltip } = onlyRow([
        logOf([entryOf({ host: host.slice(0, 253) })]),
      ]);
      for (const text of [label, description, accessibleLabel, ...tooltip.split('\n')]) {
        assert.doesNotMatch(text, /\]\(|\$\(|[\p{Cc}\p{Cf}]/u);
      }
      assert.ok(label.length <= 64, label);
      assert.ok(tooltip.split('\n').length <= 4);
    });
  }

  it('show of a long name whose it is', () => {
    assert.match(hostLabel(`pypi.org.${'a'.repeat(60)}.evil.example`, 443), /^….*\.evil\.example:443$/);
  });

  it('put brackets around an address with colons', () => {
    assert.equal(hostLabel('2001:db8::1', 8443), '[2001:db8::1]:8443');
  });
});

describe('denied hosts', () => {
  it('are each listed once, the latest first', () => {
    const hosts = deniedHosts([
      logOf([entryOf(), entryOf({ id: 2 }), entryOf({ id: 3, host: 'b.example' })]),
    ]);
    assert.deepEqual(
      hosts.map(({ host }) => host),
      ['b.example', 'tracker.example'],
    );
  });

  it('count as allowed only where that was the reason', () => {
    const [denied] = deniedHosts([logOf([entryOf({ reason: 'notTls' })])]);
    assert(denied);
    assert.equal(canBeAllowed(denied), false);
    assert.equal(isAllowedNow(denied, { ...undecided, allows: () => true }), false);
  });
});

describe('the empty network log', () => {
  const states: readonly [Parameters<typeof networkLogState>, string][] = [
    [[[], false], 'noSandbox'],
    [[['open'], false], 'open'],
    [[['none'], false], 'off'],
    [[['none', 'open'], false], 'open'],
    [[['open', 'restricted'], false], 'nothingYet'],
    [[['restricted'], true], 'filtered'],
  ];
  for (const [parameters, state] of states) {
    it(`is ${state} with ${JSON.stringify(parameters)}`, () => {
      assert.equal(networkLogState(...parameters), state);
    });
  }
});

describe('the words of the network log', () => {
  it('name the filter, and nothing without one', () => {
    assert.equal(filterText(noFilter, undefined, formatMessage), '');
    assert.equal(filterText({ verdict: 'denied' }, 'project', formatMessage), 'denied only · project');
  });

  const sizes: readonly [number, string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [123_456, '123 kB'],
    [999_999, '999 kB'],
    [2_500_000_000, '2.5 GB'],
    [1e18, '1000000 TB'],
  ];
  for (const [bytes, text] of sizes) {
    it(`call ${bytes} bytes ${text}`, () => assert.equal(bytesText(bytes), text));
  }

  const ages: readonly [number, string][] = [
    [-1, 'just now'],
    [59_999, 'just now'],
    [60_000, '1 min ago'],
    [3_600_000, '1 h ago'],
    [48 * 3_600_000, '2 days ago'],
  ];
  for (const [milliseconds, text] of ages) {
    it(`call ${milliseconds} ms "${text}"`, () => assert.equal(formatMessage(agoText(milliseconds)), text));
  }

  it('say how long something took', () => {
    assert.deepEqual([12.3, 999, 1500, 59_900, 61_000].map(durationText), [
      '12 ms',
      '999 ms',
      '1.5 s',
      '59.9 s',
      '1 min',
    ]);
  });
});
