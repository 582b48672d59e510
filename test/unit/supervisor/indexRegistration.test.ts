import assert from 'node:assert/strict';
import { readIndexEntries, type SandboxIndexEntry } from '../../../src/host/sandboxIndex';
import { IndexRegistration } from '../../../src/supervisor/indexRegistration';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('the registration of a sandbox in the index', () => {
  const folder = useTemporaryFolder();

  function register(): IndexRegistration {
    return new IndexRegistration({
      ...{ id: '0123456789abcdef', kind: 'shell', indexDirectory: folder() },
      ...{ workspace: { path: '/workspace' }, home: { kind: 'memory' } },
    });
  }

  async function entry(): Promise<SandboxIndexEntry | undefined> {
    return (await readIndexEntries(folder()))[0];
  }

  it('has what was announced once its promise resolves, also of several that came at once', async () => {
    const registration = register();
    const first = registration.update({ runDirectory: '/run/one', socket: '/run/one/socket' });
    const second = registration.update({ temporaryFiles: '/tmp/one' });
    await first;
    const { runDirectory, temporaryFiles, isStarting } = (await entry()) ?? {};
    assert.deepEqual([runDirectory, temporaryFiles, isStarting], ['/run/one', '/tmp/one', true]);
    await second;
  });

  it('has what came while it was being written', async () => {
    const registration = register();
    const first = registration.update({ runDirectory: '/run/one' });
    await Promise.resolve();
    await registration.update({ isStarting: false, temporaryFiles: '/tmp/one' });
    await first;
    const { runDirectory, temporaryFiles, isStarting } = (await entry()) ?? {};
    assert.deepEqual([runDirectory, temporaryFiles, isStarting], ['/run/one', '/tmp/one', false]);
  });

  it('is gone for good when it was removed', async () => {
    const registration = register();
    const late = registration.update({ runDirectory: '/run/one' });
    await registration.remove();
    await Promise.all([late, registration.update({ socket: '/run/one/socket' })]);
    assert.equal(await entry(), undefined);
  });
});
