import assert from 'node:assert/strict';
import type { KnownSandbox } from '../../../../src/launch/sandboxRegistry';
import { AllowedHosts } from '../../../../src/ui/network/allowedHosts';
import { restrictedSandbox } from '../../../support/networkEntries';

const sandbox = restrictedSandbox();
const { id, workspace: folder } = sandbox.summary;

function hostsOver(running: readonly KnownSandbox[]): AllowedHosts {
  const memory = new Map<string, unknown>();
  return new AllowedHosts({
    memory: {
      get: (key: string) => memory.get(key),
      update: (key, value) => Promise.resolve(void memory.set(key, value)),
    } as ConstructorParameters<typeof AllowedHosts>[0]['memory'],
    machine: 'this machine',
    sandboxes: { running: () => running, setAllowedHosts: () => Promise.resolve() },
    readSetting: () => [],
  });
}

describe('hosts that are allowed now', () => {
  it('are those that a running sandbox says it lets through', async () => {
    const running = (...entries: string[]): KnownSandbox => ({
      ...sandbox,
      status: {
        phase: 'running',
        reach: { hosts: entries.map((entry) => ({ entry, since: 0 })), models: [] },
      },
    });
    const list = [running()];
    const hosts = hostsOver(list);
    const isAllowed = (): boolean => hosts.decisionsFor(sandbox.summary).allows('a.example', 443);
    await hosts.allow(folder, ['a.example'], 'a.example');
    assert.equal(isAllowed(), false);
    list[0] = running('a.example');
    assert.equal(isAllowed(), true);
    list.length = 0;
    assert.equal(isAllowed(), true);
  });

  it('are only allowed until the sandbox ends when its folder has them not', async () => {
    const hosts = hostsOver([sandbox]);
    await hosts.allowOnce(id, ['a.example', 'pypi.org']);
    assert.deepEqual(hosts.onlyOnce(sandbox.summary), ['a.example', 'pypi.org']);
    await hosts.choose(folder, { entries: [], presets: ['python'] }, ['a.example', 'pypi.org']);
    assert.deepEqual(hosts.onlyOnce(sandbox.summary), ['a.example']);
  });
});
