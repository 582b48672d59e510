import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from '../../scripts/demoModel/scenario';
import { fileWritten, greetingScenario } from '../support/agentWorkspace';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

/** `wait`: the agent runs a program that does not end by itself. */
const scenario: Scenario = {
  ...greetingScenario,
  rules: [
    ...greetingScenario.rules,
    {
      match: '^wait$',
      steps: [{ tools: [{ name: 'bash', arguments: { command: 'sleep 4711', description: 'Waits' } }] }],
    },
  ],
};

describe('Run Task…', () => {
  const workbench = useWorkbench(() => ({ name: 'task', folderName: 'analysis', scenario }));

  it('ends when it is cancelled, with all that it runs', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Run Task…');
    await page.answerInputBox('Run Task', 'wait');
    await page.chooseFirst('A model that you have not approved');
    await page.notificationSays(/works on the task/);
    const processes = await waitUntil('the agent runs its program', async () => {
      const found = await workbench().sandboxProcesses();
      return found.some(({ commandLine }) => commandLine.endsWith('sleep 4711')) && found;
    });
    await page.answerNotification(/works on the task/, 'Cancel');
    await workbench().gone(processes);
    await page.notificationIsGone(/works on the task/);
    await page.notificationSays(/The sandbox was stopped/);
    await page.statusSays(/Agent: ready/);
    await page.screenshot('cancelled');
  });

  it('asks for a task, and does it in a sandbox of its own', async () => {
    const { page, folder } = workbench();
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
    const { page } = workbench();
    // opencode has added its $schema to opencode.json before, in the task that was cancelled
    await page.answerNotification(/The task has ended with exit code 0\. 1 file changed\./, 'Review');
    await page.sideBarSays(/greeting\.txt\s*new/);
    await page.editorSays(/hello world/);
    await page.screenshot('changed files');
  });
});
