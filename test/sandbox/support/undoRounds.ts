import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startDemoModel } from '../../../scripts/demoModel/server';
import { configureModel } from '../../support/agentWorkspace';
import { ScreenReader } from '../../support/screenReader';
import { waitUntil } from '../../support/waitUntil';
import { initialiseGit } from './git';
import { inspectHome, keptTask, manyWrites, sessionsOf } from './manyWrites';
import { startSandbox, TestFolders } from './sandboxUnderTest';

const script = resolve(__dirname, '../../../../test/sandbox/undo/undo.mjs');

/**
 * Has opencode do and undo changes in a git workspace that holds its home, as the lesson has it. The plain command's
 * database is malformed after the first undo, because opencode has taken a picture of it, too (measured).
 */
export async function undoRounds(rounds: number): Promise<void> {
  const folders = new TestFolders();
  const { workspace } = folders;
  const model = await startDemoModel({ scenario: manyWrites(1) });
  try {
    configureModel(workspace, model.baseUrl);
    initialiseGit(workspace);
    copyFileSync(script, join(workspace, 'undo.mjs'));
    const specification = { ...(await keptTask(folders, '')), kind: 'shell' as const };
    const { connection } = await startSandbox(specification);
    const screen = await ScreenReader.attach(connection);
    screen.type(`BUN_BE_BUN=1 opencode undo.mjs ${rounds} report.json; echo do""ne\r`);
    const report = join(workspace, 'report.json');
    await waitUntil(
      'it is done',
      () => existsSync(report) && /done/.test(screen.text()),
      60_000 + rounds * 20_000,
      () => screen.text(),
    );
    await connection.stop();
    assert.deepEqual(JSON.parse(readFileSync(report, 'utf8')), {
      written: rounds,
      undone: rounds,
      redone: Math.ceil(rounds / 2),
      error: '',
    });
    assert.equal(await inspectHome(specification), 'good');
    const sessions = await sessionsOf(folders);
    const [one, other, ...others] = [...sessions].sort((first, second) => first.created - second.created);
    // what was taken back last is in neither list of changes, and a fork does not say what it was made of
    assert.ok(one && other && others.length === 0);
    assert.match(other.title, /\(fork #1\)$/);
    assert.equal(other.parent, '');
    for (const { sums } of [one, other]) {
      assert.ok(sums && sums.messages >= 3, 'it has messages');
      assert.equal(sums.isOpen, false);
    }
  } finally {
    await model.close();
    folders.remove();
  }
}
