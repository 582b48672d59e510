import assert from 'node:assert/strict';
import type { SandboxRegistry } from '../../../src/launch/sandboxRegistry';
import { message } from '../../../src/sandbox/message';
import { UserError } from '../../../src/sandbox/userError';
import { type FakeConnection, networkEntryOf } from '../../support/fakeConnection';
import { first, RegistryUnderTest, second, socketOf } from '../../support/registryUnderTest';

const codeOf = (error: unknown): string => (error instanceof UserError ? error.code : String(error));

describe('SandboxRegistry, of the network', () => {
  let host: RegistryUnderTest;
  let registry: SandboxRegistry;
  const connectionOf = (sandbox: typeof first): FakeConnection => host.connectionOf(sandbox);

  beforeEach(() => {
    host = new RegistryUnderTest();
    ({ registry } = host);
  });

  afterEach(() => registry.dispose());

  it('tells what a sandbox tries to reach, and what it tried before', async () => {
    const told: string[] = [];
    registry.onNetwork((sandbox, { host }) => told.push(`${sandbox.summary.id} ${host}`));
    await registry.discover();
    const entry = networkEntryOf();
    connectionOf(first).reaches(entry);
    assert.deepEqual(told, [`${first.id} ${entry.host}`]);
    assert.deepEqual(await registry.networkLog(first.id), [entry]);
    assert.deepEqual(await registry.networkLog(second.id), []);
  });

  it('replaces the allowed hosts of one sandbox only', async () => {
    await registry.discover();
    await registry.setAllowedHosts(first.id, ['pypi.org', 'files.pythonhosted.org']);
    assert.deepEqual(connectionOf(first).sent, ['allow pypi.org files.pythonhosted.org']);
    assert.deepEqual(connectionOf(second).sent, []);
  });

  it('knows no network log of a sandbox that can’t be asked, and says why its hosts can’t be replaced', async () => {
    const cases: [string, string][] = [
      ['ffffffffffffffff', 'sandbox.ended'],
      [first.id, 'supervisor.notAnswering'],
      [second.id, 'supervisor.otherVersion'],
    ];
    host.connections.delete(socketOf(first));
    connectionOf(second).restriction = new UserError('supervisor.otherVersion', message('another version'));
    connectionOf(second).reaches(networkEntryOf());
    await registry.discover();
    for (const [id, code] of cases) {
      assert.deepEqual(await registry.networkLog(id), []);
      await assert.rejects(registry.setAllowedHosts(id, []), (error) => codeOf(error) === code, code);
    }
    connectionOf(second).restriction = undefined;
    connectionOf(second).becomes({ phase: 'ended', end: { reason: 'broken' } });
    assert.deepEqual(await registry.networkLog(second.id), []);
    await assert.rejects(
      registry.setAllowedHosts(second.id, []),
      (error) => codeOf(error) === 'sandbox.ended',
    );
  });
});
