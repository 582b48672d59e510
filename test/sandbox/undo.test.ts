import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClaim } from '../../src/host/claim';
import { listSnapshots, storeOf } from '../../src/host/snapshot/store';
import type { SandboxConnection } from '../../src/launch/connection';
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
      assert.equal(connection?.status.undo?.state, 'ready');
    });

    it('goes on without when somebody says so, and keeps nothing', async () => {
      await holding(async (started) => {
        await started.connection.startWithoutUndo();
        await waitUntil('it runs', ran);
        assert.equal(started.connection.status.undo?.state, 'without');
      });
      assert.deepEqual(listSnapshots(storeOf(directory, folders.workspace)), []);
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
