import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileWritten } from '../support/agentWorkspace';
import { AgentWorkbench } from './agentWorkbench';

describe('Run Task…', () => {
  let workbench: AgentWorkbench;

  before(async () => {
    workbench = await AgentWorkbench.open({ name: 'task', folderName: 'analysis' });
  });

  afterEach(function () {
    return workbench.pictureFailure(this.currentTest);
  });
  after(() => workbench.close());

  it('asks for a task, and does it in a sandbox of its own', async () => {
    const { page, folder } = workbench;
    await page.runCommand('Sandboxed Agent: Run Task…');
    await page.answerInputBox('Run Task', 'greet world');
    await page.notificationSays(/works on the task/);
    await page.screenshot('working');
    await page.notificationSays(/The task has ended with exit code 0/);
    await page.terminalShows(new RegExp(fileWritten));
    await page.screenshot('done');
    assert.equal(readFileSync(join(folder, 'greeting.txt'), 'utf8'), 'hello world\n');
    await page.statusSays(/Agent: ready/);
  });

  it('shows the changed files, whose names are in no notification', async () => {
    const { page } = workbench;
    await page.answerNotification(/The task has ended/, 'Show Changed Files');
    await page.editorSays(/new\s+greeting\.txt/);
    await page.screenshot('changed files');
  });
});
