import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sweepDeadEntries } from '../../src/host/abandoned';
import { processStat, readProc } from '../../src/host/procfs';
import { readIndexEntries } from '../../src/host/sandboxIndex';
import { formatMessage } from '../../src/sandbox/message';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { plainCommand } from './support/plainCommand';
import { pidOf, signal, startRunning, type RunningSandbox } from './support/runningSandbox';
import { endOf, superviseChanged, specify, TestFolders } from './support/sandboxUnderTest';

const mebibyte = 1024 * 1024;

/** What no careless removal gets rid of. */
const stubborn =
  'cd /tmp && mkdir -p closed/in && touch closed/in/file && ln -s / root && chmod 0 closed/in closed && ' +
  'i=0; while [ $i -lt 300 ]; do mkdir d && cd -P d || break; i=$((i + 1)); done; ';

describe('the temporary files of a sandbox', () => {
  let folders: TestFolders;
  let parent: string;
  beforeEach(() => {
    folders = new TestFolders();
    parent = join(folders.root, 'temporary');
    mkdirSync(parent);
  });
  afterEach(() => folders.remove());

  async function start(limitBytes = 2 ** 30): Promise<RunningSandbox & { readonly screen: ScreenReader }> {
    const sandbox = await startRunning(folders, { temporaryFiles: { parents: [parent], limitBytes } });
    return { ...sandbox, screen: await ScreenReader.attach(sandbox.connection) };
  }

  /** The folder on the host that the sandbox has as /tmp. */
  function sourceOf(name = 'tmp'): string {
    const [made] = readdirSync(parent);
    assert.ok(made);
    return join(parent, made, name);
  }

  it('have the room of a disk, without device files and setuid programs, and nobody else sees them', async () => {
    const fill = 'dd if=/dev/zero bs=1048576 count=100 of=';
    assert.match(plainCommand({}, 'sh', '-c', `${fill}/tmp/file`), /No space left|I\/O error/, 'too small');
    const { connection, screen, supervisorPid } = await start();
    screen.type(`${fill}/tmp/one && ${fill}/var/tmp/two; echo do""ne\r`);
    await screen.shows(/done/);
    assert.doesNotMatch(screen.text(), /No space|error/);
    assert.equal(statSync(join(sourceOf(), 'one')).size, 100 * mebibyte);
    assert.equal(statSync(join(sourceOf('var-tmp'), 'two')).size, 100 * mebibyte);
    assert.equal(statSync(join(sourceOf(), '..')).mode & 0o777, 0o700);
    const mounts = (readProc(`${pidOf('init', supervisorPid) ?? 0}/mountinfo`) ?? '').split('\n');
    for (const place of ['/tmp', '/var/tmp']) {
      const [line] = mounts.filter((text) => text.split(' ')[4] === place).slice(-1);
      assert.match(line ?? '', / rw,nosuid,nodev/, place);
    }
    const seen = connection.status.verdict;
    assert.equal(seen?.state, 'isolated');
    assert.deepEqual(
      seen.visiblePaths.filter(({ containerPath }) => /^(\/var)?\/tmp$/.test(containerPath)),
      [
        { hostPath: sourceOf(), containerPath: '/tmp', mode: 'readWrite' },
        { hostPath: sourceOf('var-tmp'), containerPath: '/var/tmp', mode: 'readWrite' },
      ],
    );
    await connection.stop();
    await waitUntil('they are gone', () => readdirSync(parent).length === 0);
  });

  it('are removed at the end whatever is in them, and links are not followed', async () => {
    const { connection, screen } = await start();
    screen.type(`${stubborn} echo do""ne\r`);
    await screen.shows(/done/);
    assert.ok(existsSync(join(sourceOf(), 'closed')));
    await connection.stop();
    await waitUntil('they are gone', () => readdirSync(parent).length === 0);
  });

  for (const [what, command, told] of [
    [
      'take more than the limit',
      'dd if=/dev/zero bs=1048576 count=40 of=/var/tmp/file',
      /took more than 30 MiB.*temporaryFilesLimit/,
    ],
    ['are in too many folders within folders', stubborn, /within more than 100 folders/],
  ] as const) {
    it(`end the sandbox when they ${what}`, async () => {
      const { connection, screen } = await start(30 * mebibyte);
      const ended = endOf(connection);
      screen.type(`${command}\r`);
      const end = await ended;
      assert.equal(end.reason, 'failed');
      assert.match(end.explanation ? formatMessage(end.explanation) : '', told);
      await waitUntil('they are gone', () => readdirSync(parent).length === 0);
    });
  }

  it('are removed by the reaper when the supervisor is killed', async () => {
    const sandbox = await start();
    sandbox.screen.type(`${stubborn} echo do""ne\r`);
    await sandbox.screen.shows(/done/);
    signal(sandbox, ['supervisor'], 'SIGKILL');
    await waitUntil('they are gone', () => readdirSync(parent).length === 0);
    await waitUntil('the entry is gone', () => readdirSync(folders.index).length === 0);
  });

  it('are removed by the next sweep when the reaper is killed, too', async () => {
    const sandbox = await start();
    sandbox.screen.type(`${stubborn} echo do""ne\r`);
    await sandbox.screen.shows(/done/);
    assert.equal((await readIndexEntries(folders.index))[0]?.temporaryFiles, join(sourceOf(), '..'));
    signal(sandbox, ['supervisor', 'reaper'], 'SIGKILL');
    const { supervisorPid } = sandbox;
    await waitUntil('it is dead', () => ['Z', undefined].includes(processStat(supervisorPid)?.state));
    const [abandoned] = await sweepDeadEntries(folders.index);
    assert.equal(abandoned?.isRemoved, true);
    assert.deepEqual(readdirSync(parent), []);
  });

  it('must be the folders that were made for them', async () => {
    const other = join(folders.root, 'other');
    mkdirSync(other);
    const { end } = await superviseChanged(
      specify(folders, { temporaryFiles: { parents: [parent], limitBytes: 1e9 } }),
      (plan) => ({
        ...plan,
        arguments: plan.arguments.map((word) =>
          word.endsWith(',destination=/tmp') ? `type=bind,source=${other},destination=/tmp` : word,
        ),
      }),
    );
    assert.equal(end.reason, 'refused');
    assert.ok(end.explanation && formatMessage(end.explanation).includes(other));
    assert.deepEqual(readdirSync(parent), []);
  });
});
