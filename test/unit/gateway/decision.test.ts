import assert from 'node:assert/strict';
import { isOnList, judgeAddresses } from '../../../src/gateway/decision';
import { type HostEntry, parseHostEntry } from '../../../src/gateway/hostEntry';
import { type Target, targetOfAuthority } from '../../../src/gateway/target';

const entries = (...texts: string[]): HostEntry[] => texts.map(parseHostEntry);
const target = (authority: string): Target => targetOfAuthority(authority) as Target;

describe('the decision on a name', () => {
  it('allows what is on the list, and nothing else', () => {
    const list = entries('example.org', '*.data.example', '192.0.2.1:8080', '[2001:db8::1]');
    for (const authority of [
      ...['example.org:443', 'example.org:80', 'EXAMPLE.ORG.:443', 'a.data.example:443', '192.0.2.1:8080'],
      ...['0xc0000201:8080', '[::ffff:192.0.2.1]:8080', '[2001:db8:0::1]:443'],
    ]) {
      assert.ok(isOnList(target(authority), list), authority);
    }
    for (const authority of [
      ...[
        'www.example.org:443',
        'example.org:8443',
        'data.example:443',
        'evildata.example:443',
        '192.0.2.1:443',
      ],
      ...['127.0.0.1:443', '[2001:db8::2]:443', 'localhost:443'],
    ]) {
      assert.ok(!isOnList(target(authority), list), authority);
    }
    assert.ok(!isOnList(target('example.org:443'), []));
  });
});

describe('the judgement on addresses', () => {
  const judge = (list: HostEntry[], ...addresses: string[]): object =>
    judgeAddresses(target('example.org:443'), addresses, list);

  it('keeps the public ones, in the order of the resolver and each once', () => {
    assert.deepEqual(judge(entries('example.org'), '2606:4700::1', '10.0.0.1', '1.1.1.1', '::ffff:1.1.1.1'), {
      usable: ['2606:4700::1', '1.1.1.1'],
      refused: ['10.0.0.1'],
    });
  });

  it('keeps one that is not public if it is on the list itself, with the port', () => {
    const named = entries('example.org', '10.0.0.1');
    assert.deepEqual(judge(named, '10.0.0.1', '::ffff:10.0.0.1', '10.0.0.2'), {
      usable: ['10.0.0.1'],
      refused: ['10.0.0.2'],
    });
    assert.deepEqual(judge(entries('example.org', '10.0.0.1:8080'), '10.0.0.1'), {
      usable: [],
      refused: ['10.0.0.1'],
    });
  });

  it('is not softened by a name or by a star', () => {
    const list = entries('example.org', '*.example.org', 'localhost');
    for (const address of ['127.0.0.1', '::1', '169.254.169.254', '::ffff:169.254.169.254', 'fe80::1%eth0']) {
      assert.deepEqual((judge(list, address) as { usable: string[] }).usable, [], address);
    }
  });
});
