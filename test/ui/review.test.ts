import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellImage } from '../support/environment';
import { treeLines } from '../support/treeLines';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

/** What is done in the shell: a change, a new file, a renamed one, a script that becomes executable, a binary one. */
const commands = [
  'echo two > notes.txt',
  'echo new > new.txt',
  'mv table.csv moved.csv',
  'chmod 755 run.sh',
  'head -c 100 /dev/zero > plot.bin',
  'exit',
];

describe('Review Changes', () => {
  const workbench = useWorkbench(() => ({
    name: 'review',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.image': shellImage() },
  }));
  let before: string[];
  const linesNow = (): string[] => treeLines(workbench().folder, ['agent-home']);

  it('is offered when a sandbox has ended, with what it did in numbers', async () => {
    const { page, folder } = workbench();
    writeFileSync(join(folder, 'notes.txt'), 'one\n');
    writeFileSync(join(folder, 'table.csv'), 'pt,eta\n40.5,0\n');
    writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(folder, 'run.sh'), 0o644);
    before = linesNow();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated/);
    await page.terminalShows(/[$#>] *$/m);
    await page.typeIntoTerminal(`${commands.join(' && ')}\r`);
    await page.notificationSays(/^The sandbox has ended\. 5 files changed(, 1 finding)?\.$/);
    await page.screenshot('summary');
  });

  it('shows all changes in one editor, and each in a view', async () => {
    const { page } = workbench();
    await page.answerNotification(/5 files changed/, 'Review');
    // a small view draws its first rows only; every kind of row is in the unit tests, and in the editor here
    await page.sideBarSays(/moved\.csv\s*was table\.csv/);
    await page.editorSays(/one[^]*two/);
    // by their own names, and why they are not there
    await page.changesAreCalled(/plot\.bin \(binary\)[^]*run\.sh \(permissions\)/);
    await page.screenshot('changes');
  });

  it('brings one file back, and takes another off the list', async () => {
    const { page, folder } = workbench();
    const isBack = (): boolean => readFileSync(join(folder, 'notes.txt'), 'utf8') === 'one\n';
    await page.rows.clickButtonUntil('notes.txt', 'Revert Change', isBack);
    await page.rows.isGone('notes.txt');
    await page.rows.clickButtonUntil('new.txt', 'Keep Change', () => page.rows.areGone('new.txt'));
    await page.rows.isGone('new.txt');
    assert.ok(existsSync(join(folder, 'new.txt')));
    await page.screenshot('one reverted, one kept');
  });

  it('brings all others back after a question, and that can be undone', async () => {
    const { page, folder } = workbench();
    await page.runCommand('Sandboxed Agent: Revert All Changes…');
    await page.questions.dialogSays(/Revert/);
    await page.screenshot('question');
    await page.questions.answerDialog(/Revert/, 'Revert All');
    const withoutKept = (): string[] => linesNow().filter((line) => !line.startsWith('/new.txt'));
    // it is read while it is changed: what is gone between a list and a look at its entries is not as it was
    const isAsBefore = (): boolean => {
      try {
        return withoutKept().join() === before.join();
      } catch {
        return false;
      }
    };
    await waitUntil('all is as it was', isAsBefore);
    await page.sideBarSays(/Nothing to review since/);
    await page.rows.isGone('moved.csv');
    await page.screenshot('all reverted');
    await page.runCommand('Sandboxed Agent: Undo Last Revert');
    await waitUntil('it is undone', () => existsSync(join(folder, 'moved.csv')));
    assert.equal(statSync(join(folder, 'run.sh')).mode & 0o777, 0o755);
    await page.sideBarSays(/moved\.csv\s*was table\.csv/);
  });

  it('shows what another sandbox changes while it is in sight', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated/);
    await page.terminalShows(/[$#>] *$/m);
    await page.typeIntoTerminal('echo live > live.txt\r');
    await page.sideBarSays(/live\.txt/);
    await page.typeIntoTerminal('rm live.txt; exit\r');
    await page.rows.isGone('live.txt');
  });

  it('is still there when the window was reloaded', async () => {
    const { page } = workbench();
    await page.reload();
    // an icon that is clicked before the extension's views are known shows none of them
    await page.statusSays(/Agent: ready/);
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/Changed since[^]*moved\.csv\s*was table\.csv/);
    await page.screenshot('reloaded');
  });
});
