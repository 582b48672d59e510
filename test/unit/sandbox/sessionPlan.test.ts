import assert from 'node:assert/strict';
import { runDirectoryAt } from '../../../src/sandbox/runDirectory';
import { planSessionSandbox, type SessionSandbox } from '../../../src/sandbox/sessionPlan';

const identity = { device: '1', inode: '2', size: '3', changedTime: '4' };
const sandbox: SessionSandbox = {
  apptainer: '/usr/bin/apptainer',
  image: { path: '/images/opencode.sif', identity },
  home: { path: '/work/agent-home', identity },
  mayWrite: false,
  insideEnvironment: {},
  runDirectoryParents: ['/tmp'],
};
const run = runDirectoryAt('/tmp/sandboxed-agent-abcdef');
const plan = (changes: Partial<SessionSandbox> = {}): ReturnType<typeof planSessionSandbox> =>
  planSessionSandbox({ ...sandbox, ...changes }, run, { PATH: '/usr/bin' });

describe('planSessionSandbox', () => {
  it('shows the home read-only, our script, and nothing else of the host', () => {
    assert.deepEqual(
      plan().expectation.binds.map(({ source, destination, mode }) => `${source} ${destination} ${mode}`),
      [
        '/tmp/sandboxed-agent-abcdef/inside /run/sandboxed-agent readOnly',
        '/work/agent-home /home/agent readOnly',
      ],
    );
    const mounts = plan().arguments.filter((word) => word.startsWith('type=bind'));
    assert.equal(mounts.length, 2);
    assert.ok(mounts.every((mount) => mount.endsWith(',ro')));
  });

  it('has no network and all isolation of an agent’s', () => {
    const words = plan().arguments.join(' ');
    for (const word of [
      '--userns',
      '--containall',
      '--cleanenv',
      '--no-eval',
      '--net --network none',
      '--drop-caps all',
      '--security seccomp:',
    ]) {
      assert.ok(words.includes(word), word);
    }
    assert.equal(plan().expectation.network, 'none');
  });

  it('waits at the gate, then runs the script in /, without what Bun would load there', () => {
    const words = plan().arguments;
    assert.equal(words[words.indexOf('--pwd') + 1], '/');
    assert.deepEqual(words.slice(-7), [
      'env',
      'BUN_BE_BUN=1',
      'opencode',
      '--no-env-file',
      '--config=/dev/null',
      '/run/sandboxed-agent/companion.mjs',
      '/home/agent/.local/share/opencode',
    ]);
    assert.ok(words.includes('/run/sandboxed-agent/gate'));
  });

  it('makes the home writable only when it is asked for, and the folder never', () => {
    const workspace = { path: '/work', identity };
    const modes = plan({ mayWrite: true, workspace }).expectation.binds.map(
      ({ destination, mode }) => `${destination} ${mode}`,
    );
    assert.deepEqual(modes, ['/work readOnly', '/run/sandboxed-agent readOnly', '/home/agent readWrite']);
  });
});
