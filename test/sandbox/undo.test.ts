import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClaim } from '../../src/host/claim';
import { findManifest, listSnapshots, storeOf } from '../../src/host/snapshot/store';
import type { SandboxConnection } from '../../src/launch/connection';
import { fromText } from '../../src/snapshot/bytePath';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { pidOf } from './support/runningSandbox';
import { endOf, TestFolders } from './support/sandboxUnderTest';
import { startUndoable, undoRun } from './support/undoneRun';

describe('undo of what a sandbox does', () => {
  it('brings back a thousand files to the byte, and can be undone', () => undoRun(1000));

  describe('before anything is written', () => {
    let folders: TestFolders;
    let directory: string;
    let connection: SandboxConnection | undefined;
    beforeEach(() => {
      folders = new TestFolders();
      directory = mkdtempSync(join(folders.root, 'snapshots-'));
    });
    afterEach(async () => {
      await connection?.stop().catch(() => undefined);
      folders.remove();
    });

    const ran = (): boolean => existsSync(join(folders.workspace, 'ran'));

    /** Starts a shell that makes a file as soon as it runs. */
    async function start(): ReturnType<typeof startUndoable> {
      const started = await startUndoable(folders, directory);
      ({ connection } = started);
      const screen = await ScreenReader.attach(started.connection);
      screen.type('touch ran\r');
      return started;
    }

    /** Waits until the container has been at its gate for as long as a shell takes to start, and some more. */
    async function atGate(supervisor: number): Promise<void> {
      await waitUntil('the container is at its gate', () => pidOf('program', supervisor));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }

    /** Keeps the snapshot from being taken while something is done. */
    async function holding(
      work: (started: Awaited<ReturnType<typeof start>>) => Promise<void>,
    ): Promise<void> {
      const store = storeOf(directory, folders.workspace);
      mkdirSync(store, { mode: 0o700 });
      const patience = { milliseconds: 0, tooLate: () => new Error('somebody has it') };
      await withClaim(join(store, 'lock'), patience, async () => {
        const started = await start();
        assert.equal(started.connection.status.undo?.state, 'taking');
        await atGate(started.supervisorPid);
        assert.equal(started.connection.status.phase, 'starting');
        assert.equal(ran(), false);
        await work(started);
      });
    }

    it('waits with the gate until what is there has been noted', async () => {
      await holding(() => Promise.resolve());
      await waitUntil('it runs', ran);
      // it runs as soon as its gate opens, which is before that is told
      await waitUntil('it is told', () => connection?.status.undo?.state === 'ready');
    });

    it('goes on without when somebody says so, and keeps nothing', async () => {
      await holding(async (started) => {
        await started.connection.startWithoutUndo();
        await waitUntil('it runs', ran);
        assert.equal(started.connection.status.undo?.state, 'without');
      });
      assert.deepEqual(listSnapshots(storeOf(directory, folders.workspace)), []);
    });

    /** Lets a sandbox hide a file from git. */
    async function hideMain(other: SandboxConnection): Promise<void> {
      writeFileSync(join(folders.workspace, 'main.py'), 'print(1)\n');
      const screen = await ScreenReader.attach(other);
      screen.type('echo main.py > .gitignore; touch hidden\r');
      await waitUntil('it is hidden', () => existsSync(join(folders.workspace, 'hidden')));
    }

    /** Starts a sandbox, and asserts that what was hidden is noted. */
    async function assertNoted(): Promise<void> {
      const { connection: later, store, id } = await startUndoable(folders, directory);
      try {
        await waitUntil('it is noted', () => later.status.undo?.state === 'ready');
        assert.ok(findManifest(store, id)?.entries.has(fromText('main.py')));
      } finally {
        await later.stop();
      }
    }

    it('believes no rules that one makes which somebody has started without', async () => {
      await holding(async ({ connection: other }) => {
        await other.startWithoutUndo();
        await hideMain(other);
      });
      await assertNoted();
    });

    it('believes no rules of one with undo switched off, that was killed, either', async () => {
      const undo = { directory, maximumBytes: 0, respectsIgnoreFiles: true, closed: [] };
      const other = await startUndoable(folders, directory, { undo });
      ({ connection } = other);
      await hideMain(other.connection);
      assert.equal(other.connection.status.undo, undefined);
      const init = pidOf('init', other.supervisorPid) ?? 0;
      assert.ok(init > 0);
      process.kill(other.supervisorPid, 'SIGKILL');
      await waitUntil('the container is gone', () => !existsSync(`/proc/${init}`));
      // a window takes it out of the index, where its reaper has not done so
      rmSync(join(folders.index, `${other.id}.json`), { force: true });
      await assertNoted();
      await assertNoted();
    });

    it('can be stopped while it waits, and nothing has run', async () => {
      await holding(async (started) => {
        const ended = endOf(started.connection);
        await started.connection.stop();
        assert.equal((await ended).reason, 'stopped');
      });
      assert.equal(ran(), false);
    });

    it('stays closed when what is there can’t be noted, until somebody says to go on without', async () => {
      writeFileSync(join(directory, 'file'), '');
      directory = join(directory, 'file');
      const started = await start();
      const { undo } = await waitUntil('it is told', () => {
        const { status } = started.connection;
        return status.undo?.state === 'failed' && status;
      });
      assert.match(JSON.stringify(undo), /could not be noted in/);
      await atGate(started.supervisorPid);
      assert.equal(ran(), false);
      await started.connection.startWithoutUndo();
      await waitUntil('it runs', ran);
    });
  });
});
