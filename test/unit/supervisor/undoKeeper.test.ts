import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { runTimes } from '../../../src/host/snapshot/runNotes';
import { storeOf } from '../../../src/host/snapshot/store';
import { identified } from '../../../src/host/fileIdentity';
import { UndoKeeper } from '../../../src/supervisor/undoKeeper';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('what is noted of a run', () => {
  const root = useTemporaryFolder();
  afterEach(() => mock.timers.reset());

  it('ends after all that was done in it, also when the clock was set back meanwhile', async () => {
    const directory = join(root(), 'undo');
    const workspace = join(root(), 'workspace');
    for (const folder of [directory, workspace]) mkdirSync(folder, { mode: 0o700 });
    const undo = { directory, maximumBytes: 0, respectsIgnoreFiles: true, closed: [] };
    const specification = {
      id: 'a'.repeat(16),
      workspace: await identified(workspace),
      indexDirectory: root(),
      undo,
    };
    const keeper = new UndoKeeper(specification);
    await keeper.mayOpen;
    const changed = Date.now();
    mock.timers.enable({ apis: ['Date'], now: changed - 60 * 60_000 });
    await keeper.close();
    const { last } = runTimes(storeOf(directory, workspace), new Set(), 'b'.repeat(16), Date.now());
    assert.ok(last >= changed, `${changed - last} ms too early`);
  });
});
