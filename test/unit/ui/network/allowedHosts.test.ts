import assert from 'node:assert/strict';
import { hostPresets } from '../../../../src/gateway/presets';
import type { KnownSandbox } from '../../../../src/launch/sandboxRegistry';
import { message } from '../../../../src/sandbox/message';
import { AllowedHosts } from '../../../../src/ui/network/allowedHosts';
import {
  effectiveHosts,
  hostMatcher,
  neededEntries,
  readFolderHosts,
  readOnceHosts,
} from '../../../../src/ui/network/allowedHostsList';
import { readAllowedHosts } from '../../../../src/ui/network/allowedHostsSetting';
import type { DeniedHost } from '../../../../src/ui/network/networkLogGroups';
import { hostileHosts, restrictedSandbox } from '../../../support/networkEntries';

const sandbox = restrictedSandbox();
const { id, workspace: folder } = sandbox.summary;
const nothing = { entries: [], presets: [], keptDenied: [] };

/** What a user allowed, over a memory and sandboxes that the test looks at. */
function hostsUnderTest(
  running: KnownSandbox[] = [sandbox],
  options: { memory?: Map<string, unknown>; setting?: () => readonly string[]; failing?: string } = {},
  machine = 'this machine',
): { hosts: AllowedHosts; memory: Map<string, unknown>; told: [string, readonly string[]][] } {
  const memory = options.memory ?? new Map<string, unknown>();
  const told: [string, readonly string[]][] = [];
  const hosts = new AllowedHosts({
    memory: {
      get: (key: string) => memory.get(key),
      update: (key, value) => {
        // as VS Code does, which keeps it as JSON
        memory.set(key, JSON.parse(JSON.stringify(value)));
        return Promise.resolve();
      },
    } as ConstructorParameters<typeof AllowedHosts>[0]['memory'],
    machine,
    sandboxes: {
      running: () => running,
      setAllowedHosts: (sandboxId, entries) => {
        told.push([sandboxId, entries]);
        return sandboxId === options.failing ? Promise.reject(new Error('lost')) : Promise.resolve();
      },
    },
    readSetting: options.setting ?? (() => []),
  });
  return { hosts, memory, told };
}

describe('the hosts that a user allowed', () => {
  it('are those of the folder, its presets, and the setting, each once', async () => {
    const { hosts } = hostsUnderTest([], { setting: () => ['example.org', 'pypi.org'] });
    await hosts.choose(folder, { entries: ['a.example:8080'], presets: ['python'] }, []);
    assert.deepEqual(hosts.effectiveHosts(folder), [
      'a.example:8080',
      'example.org',
      'files.pythonhosted.org',
      'pypi.org',
    ]);
    assert.deepEqual(hosts.effectiveHosts('/data/other'), ['example.org', 'pypi.org']);
  });

  it('are not those of a folder with the same path on another machine', async () => {
    const { hosts, memory } = hostsUnderTest([]);
    await hosts.choose(folder, { entries: ['a.example:8080'], presets: [] }, []);
    assert.deepEqual(hostsUnderTest([], { memory }).hosts.effectiveHosts(folder), ['a.example:8080']);
    assert.deepEqual(hostsUnderTest([], { memory }, 'cluster').hosts.effectiveHosts(folder), []);
  });

  it('are told to the sandboxes that run in the folder with a restricted network, at once', async () => {
    const { hosts, told } = hostsUnderTest([
      sandbox,
      restrictedSandbox({ id: 'a'.repeat(16), workspace: '/data/other' }),
      restrictedSandbox({ id: 'b'.repeat(16), network: 'open' }),
      { ...restrictedSandbox({ id: 'c'.repeat(16) }), problem: message('no answer') },
    ]);
    await hosts.allow(folder, ['a.example'], 'a.example');
    assert.deepEqual(told, [[id, ['a.example']]]);
  });

  it('stay when the extension is loaded again', async () => {
    const { hosts, memory } = hostsUnderTest();
    await hosts.allow(folder, ['a.example'], 'a.example');
    await hosts.allowOnce(id, ['b.example']);
    const later = hostsUnderTest([sandbox], { memory });
    await later.hosts.apply();
    assert.deepEqual(later.told, [[id, ['a.example', 'b.example']]]);
  });

  it('are allowed once for one sandbox, until it ends', async () => {
    const other = restrictedSandbox({ id: 'a'.repeat(16) });
    const { hosts, told } = hostsUnderTest([sandbox, other]);
    await hosts.allowOnce(id, ['b.example']);
    assert.deepEqual(told, [[id, ['b.example']]]);
    assert.deepEqual(hosts.effectiveHosts(folder), []);
    assert.deepEqual(hosts.onceIn(folder), ['b.example']);
    assert.equal(hosts.decisionsFor(sandbox.summary).allows('b.example', 443), true);
    assert.equal(hosts.decisionsFor(other.summary).allows('b.example', 443), false);
    await hosts.forget(id);
    assert.deepEqual(hosts.onceIn(folder), []);
  });

  it('can be taken back', async () => {
    const { hosts, told } = hostsUnderTest();
    await hosts.allow(folder, ['a.example', 'b.example'], 'a.example');
    await hosts.allowOnce(id, ['c.example']);
    await hosts.choose(folder, { entries: ['b.example'], presets: [] }, []);
    assert.deepEqual(told.at(-1), [id, ['b.example']]);
    assert.deepEqual(hosts.onceIn(folder), []);
  });

  it('can be decided to stay denied, until they are allowed', async () => {
    const { hosts } = hostsUnderTest();
    await hosts.keepDenied(folder, 'a.example');
    await hosts.choose(folder, { entries: [], presets: ['npm'] }, []);
    assert.equal(hosts.isKeptDenied(folder, 'a.example'), true);
    assert.equal(hosts.isKeptDenied('/data/other', 'a.example'), false);
    await hosts.allow(folder, ['a.example'], 'a.example');
    assert.equal(hosts.isKeptDenied(folder, 'a.example'), false);
  });

  it('are told to every sandbox that can be told, and then who could not be', async () => {
    const other = restrictedSandbox({ id: 'a'.repeat(16) });
    const { hosts, told } = hostsUnderTest([sandbox, other], { failing: id });
    await assert.rejects(hosts.apply(), /lost/);
    assert.equal(told.length, 2);
  });

  it('allow nothing while the setting is wrong', () => {
    const { hosts } = hostsUnderTest([sandbox], {
      setting: () => {
        throw new Error('wrong');
      },
    });
    assert.throws(() => hosts.effectiveHosts(folder), /wrong/);
    assert.equal(hosts.decisionsFor(sandbox.summary).allows('pypi.org', 443), false);
  });

  it('remember what was allowed once for the last 100 sandboxes', async () => {
    const running: KnownSandbox[] = [];
    const { hosts, memory } = hostsUnderTest(running);
    for (let count = 0; count < 150; count += 1) {
      const next = restrictedSandbox({ id: String(count).padStart(16, 'a') });
      running.splice(0, 1, next);
      await hosts.allowOnce(next.summary.id, ['a.example']);
    }
    const kept = readOnceHosts(memory.get('allowedHosts.once'));
    assert.equal(kept.size, 100);
    assert.ok(kept.has('aaaaaaaaaaaaa149'));
  });
});

describe('what is stored of allowed hosts', () => {
  for (const stored of [
    undefined,
    null,
    7,
    'x',
    [],
    { entries: 'x' },
    { entries: [1], presets: {}, keptDenied: 3 },
  ]) {
    it(`counts as nothing when it is ${JSON.stringify(stored)}`, () => {
      assert.deepEqual(readFolderHosts(stored), nothing);
      assert.equal(readOnceHosts(stored).get(id), undefined);
    });
  }

  it('loses what is no entry or no preset any more', () => {
    const stored = {
      entries: ['Example.ORG', 'http://x/', '*'],
      presets: ['npm', 'gone'],
      keptDenied: ['x'],
    };
    assert.deepEqual(readFolderHosts(stored), {
      entries: ['example.org'],
      presets: ['npm'],
      keptDenied: ['x'],
    });
  });

  it('can name all presets, whose hosts are entries', () => {
    const presets = hostPresets.map((preset) => preset.id);
    const all = effectiveHosts({ ...nothing, presets }, []);
    assert.deepEqual(readFolderHosts({ ...nothing, entries: all }).entries, all);
  });
});

describe('what has to be allowed for a denied host', () => {
  const denied: DeniedHost = {
    sandboxId: id,
    isRunning: true,
    workspace: folder,
    host: 'data.example',
    port: 443,
    reason: 'notAllowed',
    address: undefined,
  };
  const inside = { ...denied, reason: 'privateAddress' as const, address: '10.0.0.7' };

  it('is the host, with its port if that is an unusual one', () => {
    assert.deepEqual(neededEntries(denied), { entries: ['data.example'], insideAddresses: [] });
    assert.deepEqual(neededEntries({ ...denied, port: 8443 }).entries, ['data.example:8443']);
  });

  it('is the address, too, when the name leads to one that is not public', () => {
    const needed = neededEntries({ ...inside, port: 8443 });
    assert.deepEqual(needed, {
      entries: ['data.example:8443', '10.0.0.7:8443'],
      insideAddresses: ['10.0.0.7'],
    });
    const allows = hostMatcher(needed.entries);
    assert.equal(allows('data.example', 8443) && allows('10.0.0.7', 8443), true);
    assert.equal(allows('10.0.0.7', 443), false);
  });

  it('is to be asked about when the host itself is such an address', () => {
    assert.deepEqual(neededEntries({ ...denied, host: '127.0.0.1' }).insideAddresses, ['127.0.0.1']);
    assert.deepEqual(neededEntries({ ...denied, host: '::1' }).insideAddresses, ['::1']);
    assert.deepEqual(neededEntries({ ...denied, host: '8.8.8.8' }).insideAddresses, []);
  });

  for (const address of [undefined, 'evil.example', 'fe80::1%x](command:y)', '10.0.0.7 ', '[x](command:y)']) {
    it(`is nothing when the address is ${String(address)}`, () => {
      assert.throws(() => neededEntries({ ...inside, address }), /does not help/);
    });
  }

  for (const host of ['', '*.example.org', 'a b', ...hostileHosts]) {
    it(`is nothing for ${JSON.stringify(host.slice(0, 40))}, which is not repeated`, () => {
      assert.throws(
        () => neededEntries({ ...denied, host }),
        (error: Error) => error.name === 'UserError' && (host === '' || !error.message.includes(host)),
      );
    });
  }

  it('is nothing when the host was not the reason', () => {
    assert.throws(() => neededEntries({ ...denied, reason: 'notTls' }), /does not help/);
    assert.throws(() => neededEntries({ ...denied, reason: undefined }), /does not help/);
  });
});

describe('the setting allowedHosts', () => {
  const read = (values: Record<string, unknown>): string[] =>
    readAllowedHosts({ inspect: () => ({ key: 'allowedHosts', ...values }) } as never);

  it('is read as entries', () => {
    assert.deepEqual(read({ globalValue: ['Example.ORG', '*.a.example:8080', ' b.example '] }), [
      'example.org',
      '*.a.example:8080',
      'b.example',
    ]);
    assert.deepEqual(read({ defaultValue: [] }), []);
  });

  it('does not count when a workspace sets it', () => {
    assert.deepEqual(read({ workspaceValue: ['evil.example'], workspaceFolderValue: ['evil.example'] }), []);
  });

  for (const value of [
    'example.org',
    [5],
    ['*'],
    ['https://example.org/'],
    [null],
    Array(1001).fill('a.example'),
  ]) {
    it(`is refused when it is ${JSON.stringify(value).slice(0, 40)}`, () => {
      assert.throws(
        () => read({ globalValue: value }),
        (error: Error & { code?: string }) => error.code === 'setting.invalid',
      );
    });
  }
});
