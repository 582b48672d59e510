import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SandboxSpecification } from '../../src/sandbox/specification';
import type { SandboxEnd } from '../../src/supervisor/protocol';
import { image, shellImage } from '../support/environment';
import { processesBelow } from '../support/processes';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { ChangedHost } from './support/changedHost';
import { assertGone, startRunning } from './support/runningSandbox';
import {
  endOf,
  identified,
  specify,
  startSandbox,
  superviseChanged,
  TestFolders,
} from './support/sandboxUnderTest';

const quotaFileSystem = join(__dirname, 'support/quotaFileSystem.js');

/** A sandbox that could not be is gone within a second after it said so. */
const boundMilliseconds = 1000;

describe('what is not as it must be is said in plain words, and nothing is left', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  /** Starts a sandbox that cannot be, and returns how it ended. */
  async function failingStart(
    changes: Partial<SandboxSpecification>,
    nodePath?: string,
  ): Promise<SandboxEnd> {
    const { connection, supervisorPid, runDirectory } = await startSandbox(
      specify(folders, changes),
      process.env,
      nodePath,
    );
    const processes = processesBelow(supervisorPid);
    const end = await endOf(connection);
    await assertGone({ processes, runDirectory }, folders, Date.now(), boundMilliseconds);
    return end;
  }

  const told = ({ explanation }: SandboxEnd): string => explanation?.text ?? '';

  /** A copy of the tiny image that was changed before it was identified. */
  function changedImage(change: (path: string) => void): SandboxSpecification['image'] {
    const path = join(folders.root, 'image.sif');
    copyFileSync(shellImage(), path);
    change(path);
    return identified(path);
  }

  for (const [what, change, expected] of [
    ['truncated to half', (path: string) => truncateSync(path, readFileSync(path).length / 2), /damaged/],
    ['truncated to its header', (path: string) => truncateSync(path, 100), /damaged/],
    ['a text', (path: string) => writeFileSync(path, 'this is no image\n'.repeat(10_000)), /damaged/],
    ['empty', (path: string) => truncateSync(path, 0), /damaged/],
    ['made for another processor', setForeignArchitecture, /another processor/],
  ] as const) {
    it(`an image that is ${what}`, async () => {
      const end = await failingStart({ image: changedImage(change) });
      assert.equal(end.reason, 'failed');
      assert.match(told(end), expected, end.diagnostics);
    });
  }

  it('an image that is gone', async () => {
    const gone = { ...identified(shellImage()), path: join(folders.root, 'gone.sif') };
    const end = await failingStart({ image: gone });
    assert.equal(end.reason, 'failed');
    assert.match(told(end), /does not exist/, end.diagnostics);
  });

  it('an image without opencode', async () => {
    const end = await failingStart({ kind: 'agent' });
    assert.equal(end.reason, 'failed');
    assert.match(told(end), /no program called opencode/);
  });

  for (const [what, change] of [
    // it does not know the words that follow
    ['another program of that name', () => ['false']],
    // the companion sees the Bun of the versions that ignore /etc/opencode
    ['too old', (name: string) => [name, '--define', 'process.versions.bun:"1.3.5"']],
  ] as const) {
    it(`an opencode that is ${what}`, async () => {
      const asked = specify(folders, { kind: 'agent', image: identified(image()) });
      const { end } = await superviseChanged(asked, (plan) => {
        const at = plan.arguments.lastIndexOf('opencode');
        return { ...plan, arguments: plan.arguments.toSpliced(at, 1, ...change('opencode')) };
      });
      assert.equal(end.reason, 'failed');
      assert.match(told(end), /too old/);
    });
  }

  it('an agent that exits at once', async () => {
    const end = await failingStart({
      kind: 'agent',
      image: identified(image()),
      opencodeConfiguration: { provider: 'nonsense' },
    });
    assert.deepEqual(end, { reason: 'exited', exitCode: 1 });
  });

  for (const [what, setup, expected] of [
    ['user namespaces that are switched off', 'echo 0 >/proc/sys/user/max_user_namespaces', /switched off/],
    // away from its /dev/pts a ptmx opens as a device that is not there (ENODEV), like fuse without its module
    ['a missing /dev/fuse', 'mount --bind /dev/ptmx /dev/fuse', /fuse is missing/],
    // root's, and closed to others, as /dev/fuse is where nobody has opened it
    ['a /dev/fuse that may not be opened', 'mount --bind /etc/shadow /dev/fuse', /may not open \/dev\/fuse/],
  ] as const) {
    it(`a computer with ${what}`, async () => {
      const host = await ChangedHost.prepare(setup, folders.root);
      try {
        const end = await failingStart({}, host.nodePath);
        assert.equal(end.reason, 'failed');
        assert.match(told(end), expected, end.diagnostics);
      } finally {
        host.end();
      }
    });
  }

  it('a full disk under the agent’s home: a shell goes on, an agent says so', async () => {
    const home = join(folders.root, 'home');
    mkdirSync(home);
    const host = await ChangedHost.prepare(
      `mount -t tmpfs -o size=64k,mode=700 none '${home}'; head -c 60000 /dev/zero >'${home}/big' || true`,
      folders.root,
    );
    try {
      const full = { home: { kind: 'folder', folder: host.identified(home) } } as const;
      const shell = await startRunning(folders, full, host.nodePath);
      const screen = await ScreenReader.attach(shell.connection);
      screen.type('head -c 99999 /dev/zero > ~/more; echo do""ne\r');
      await screen.shows(/(No space left|I.O error).*done/s);
      assert.equal(shell.connection.status.verdict?.state, 'isolated');
      await shell.connection.stop();
      const asked = specify(folders, { ...full, kind: 'agent', image: identified(image()) });
      await assert.rejects(startSandbox(asked, process.env, host.nodePath), (error: Error) => {
        assert.match(String(error.cause), /disk.full|disk that holds .*home is full/);
        return true;
      });
      await waitUntil('nothing is entered', () => readdirSync(folders.index).length === 0);
    } finally {
      host.end();
    }
  });

  for (const when of ['create', 'write', 'close'] as const) {
    it(`a quota under the agent’s home that is used up, which ${when} says`, async () => {
      const home = join(folders.root, 'home');
      mkdirSync(home);
      const options = `fd=3,rootmode=40700,user_id=$(id -u),group_id=$(id -g)`;
      const host = await ChangedHost.prepare(
        [
          'exec 3<>/dev/fuse',
          `mount -i -t fuse -o ${options} quota '${home}'`,
          // it ends when the shell of this setup does
          `setpriv --pdeathsig KILL '${process.execPath}' '${quotaFileSystem}' 3 ${when} &`,
        ].join('\n'),
        folders.root,
      );
      try {
        const used = { home: { kind: 'folder', folder: host.identified(home) } } as const;
        const asked = specify(folders, { ...used, kind: 'agent', image: identified(image()) });
        await assert.rejects(startSandbox(asked, process.env, host.nodePath), (error: Error) => {
          assert.match(String(error.cause), /Your quota on the disk that holds .*home is used up/);
          return true;
        });
        assert.deepEqual(readdirSync(folders.index), []);
      } finally {
        host.end();
      }
    });
  }

  it('an Apptainer that is no program', async () => {
    const text = join(folders.root, 'apptainer');
    writeFileSync(text, 'nothing to run', { mode: 0o755 });
    const end = await failingStart({ apptainer: text });
    assert.equal(end.reason, 'failed');
    assert.match(told(end), /could not start/);
  });
});

/**
 * Makes a SIF say that it was made for the other processor: in its header (bytes 45 and 46 of the file), and in the
 * descriptor of its file system, which ends with the same two digits and a NUL (sif, pkg/sif/sif.go).
 */
function setForeignArchitecture(path: string): void {
  const content = readFileSync(path);
  const [own, foreign] = process.arch === 'arm64' ? ['04', '02'] : ['02', '04'];
  const file = openSync(path, 'r+');
  const header = 45;
  assert.equal(content.toString('latin1', header, header + 2), own);
  writeSync(file, foreign, header);
  const descriptors = Number(content.readBigInt64LE(96));
  const size = 585;
  for (let at = descriptors; at < descriptors + 48 * size; at += size) {
    const extra = at + size - 384;
    const isPartition = content.readInt32LE(at) === 0x4004;
    if (isPartition) {
      assert.equal(content.toString('latin1', extra + 8, extra + 10), own);
      writeSync(file, foreign, extra + 8);
    }
  }
}
