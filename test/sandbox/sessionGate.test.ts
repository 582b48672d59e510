import assert from 'node:assert/strict';
import { join } from 'node:path';
import { closeInheritedDescriptors } from '../../src/host/inheritedDescriptors';
import { SandboxedScript } from '../../src/supervisor/sandboxedScript';
import { processesBelow, stillRunning } from '../support/processes';
import { ourTemporaryNames } from '../support/temporaryNames';
import { waitUntil } from '../support/waitUntil';
import { bundles, TestFolders } from './support/sandboxUnderTest';
import { sessionSandbox } from './support/sessionHome';

const reader = join(bundles, 'sessionReader.mjs');

describe('the sandbox in which sessions are read', () => {
  let folders: TestFolders;
  before(() => closeInheritedDescriptors());
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  const runDirectories = (): string[] => ourTemporaryNames(/^sandboxed-agent-[0-9a-f]{8}$/);

  for (const [what, change] of Object.entries<(words: string[]) => string[]>({
    'its network is open': (words) => words.filter((word) => !['--net', '--network', 'none'].includes(word)),
    'the home is writable': (words) =>
      words.map((word) =>
        word.includes('/agent-home') && word.startsWith('type=bind') ? word.replace(/,ro$/, '') : word,
      ),
    'something else is bound': (words) => ['-q', 'exec', '--bind', '/usr/share', ...words.slice(2)],
    'no filter is active': (words) => words.filter((word) => !/^(--security|seccomp:)/.test(word)),
  })) {
    it(`runs nothing when ${what}`, async () => {
      const before = runDirectories();
      const start = SandboxedScript.start(sessionSandbox(folders), reader, (plan) => ({
        ...plan,
        arguments: change([...plan.arguments]),
      }));
      await assert.rejects(start, { code: 'sessions.notIsolated' });
      assert.deepEqual(
        runDirectories().filter((name) => !before.includes(name)),
        [],
      );
    });
  }

  it('is gone with everything in it when it is closed, also while it hangs', async () => {
    const before = runDirectories();
    const script = await SandboxedScript.start(sessionSandbox(folders), reader);
    const inside = processesBelow(process.pid).filter(({ pid }) => pid !== process.pid);
    const program = await waitUntil('the script runs', () =>
      processesBelow(process.pid).find(({ commandLine }) => commandLine.startsWith('opencode ')),
    );
    process.kill(program.pid, 'SIGSTOP');
    await script.close();
    assert.deepEqual(stillRunning([...inside, program]), []);
    assert.deepEqual(
      runDirectories().filter((name) => !before.includes(name)),
      [],
    );
  });
});
