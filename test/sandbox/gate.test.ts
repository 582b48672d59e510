import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LaunchPlan } from '../../src/sandbox/launchPlan';
import { shellImage } from '../support/environment';
import { identified, specify, superviseChanged, TestFolders } from './support/sandboxUnderTest';
import { weakenings } from './support/weakenings';

/** What stands behind the gate in these tests: it leaves a mark where the host can see it. */
function markAfterGate(plan: LaunchPlan, mark: string): LaunchPlan {
  const gate = plan.arguments.indexOf('gate');
  return { ...plan, arguments: [...plan.arguments.slice(0, gate + 2), 'touch', mark] };
}

describe('the gate', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  it('opens for a container in which every fact holds', async () => {
    const mark = join(folders.workspace, 'ran');
    const { end, verdict } = await superviseChanged(specify(folders), (plan) => markAfterGate(plan, mark));
    assert.deepEqual(end, { reason: 'exited', exitCode: 0 });
    assert.equal(verdict?.state, 'isolated');
    assert.deepEqual(new Set(verdict.lines.map((line) => line.status)), new Set(['holds']));
    assert.ok(existsSync(mark), 'what stands behind the gate ran');
  });

  for (const { fact, how, change } of weakenings) {
    it(`stays closed ${how} (${fact})`, async () => {
      const mark = join(folders.workspace, 'ran');
      const asked = specify(folders);
      const { end, verdict } = await superviseChanged(asked, (plan) =>
        change(markAfterGate(plan, mark), folders),
      );
      assert.equal(end.reason, 'refused', JSON.stringify(end));
      assert.equal(
        verdict?.lines.find((line) => line.fact === fact)?.status,
        'broken',
        JSON.stringify(verdict),
      );
      assert.equal(existsSync(mark), false, 'what stands behind the gate must not have run');
    });
  }

  it('stays closed when the image was changed after it was checked', async () => {
    const copy = join(folders.root, 'image.sif');
    copyFileSync(shellImage(), copy);
    const asked = specify(folders, { image: identified(copy) });
    chmodSync(copy, 0o700);
    const mark = join(folders.workspace, 'ran');
    const { end, verdict } = await superviseChanged(asked, (plan) => markAfterGate(plan, mark));
    assert.equal(end.reason, 'refused');
    assert.equal(verdict?.lines.find((line) => line.fact === 'image')?.status, 'broken');
    assert.equal(existsSync(mark), false);
  });
});
