import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileWritten } from '../support/agentWorkspace';
import { emptyPrompt, giveTask } from '../support/opencodePrompt';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

describe('the agent in the workbench', () => {
  const workbench = useWorkbench(() => ({ name: 'agent', folderName: 'w 7,a:b "q" ünï' }));

  it('is ready when the window has opened', async () => {
    await workbench().page.statusSays(/Agent: ready/);
    await workbench().page.screenshot('ready');
  });

  it('starts from the palette, and the status bar says what was verified', async () => {
    const { page } = workbench();
    await page.runCommand('Start Sandboxed Agent');
    await page.chooseFirst('A model that you have not approved');
    await page.statusSays(/Agent: isolated$/);
    await page.terminalShows(emptyPrompt);
    await page.screenshot('started');
  });

  it('takes a task and does it in the folder', async () => {
    const { page, folder } = workbench();
    const screen = { text: () => page.terminalText(), type: (text: string) => page.typeIntoTerminal(text) };
    await giveTask(screen, 'greet world');
    await page.terminalShows(new RegExp(fileWritten));
    await page.screenshot('task done');
    const greeting = join(folder, 'greeting.txt');
    assert.equal(readFileSync(greeting, 'utf8'), 'hello world\n');
    assert.equal(statSync(greeting).uid, process.getuid?.());
  });

  it('takes what the user sends to it, without submitting it', async () => {
    const { page } = workbench();
    await page.openFile('greeting.txt');
    await page.runCommand('Send to Agent');
    await page.terminalShows(/@greeting\.txt/);
    await page.screenshot('sent');
  });

  it('lives on when the window is reloaded, and its terminal comes back to the front', async () => {
    const { page } = workbench();
    const [supervisor] = await workbench().sandboxProcesses();
    await page.reload();
    await page.statusSays(/Agent: isolated$/);
    await page.terminalShows(new RegExp(fileWritten));
    await waitUntil('the keyboard is in the terminal', () => page.terminalHasFocus());
    // and no shell of the host, which VS Code opens in its place
    await waitUntil('ours is alone', async () => (await page.terminalCount()) === 1);
    assert.equal(await page.terminalName(), 'Agent (sandboxed)');
    await page.screenshot('reloaded');
    assert.deepEqual((await workbench().sandboxProcesses())[0], supervisor);
  });

  it('still takes the mouse', async () => {
    const { page } = workbench();
    // the whole conversation is visible then
    await page.runCommand('View: Toggle Maximized Panel');
    await page.terminalShows(/greet world/);
    await page.clickInTerminal('greet world');
    await page.terminalShows(/Message Actions/);
    await page.screenshot('clicked');
  });

  it('ends when its terminal is closed', async () => {
    const { page } = workbench();
    const processes = await workbench().sandboxProcesses();
    await page.closeTerminal('Agent (sandboxed)');
    await workbench().gone(processes);
    await page.statusSays(/Agent: ready/);
    await page.screenshot('closed');
  });

  it('has a sandbox of which a proof says what held, in tables with a title over each column', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Prove the Sandbox Holds');
    await page.report.says(/\d+\/\d+ held/);
    assert.match(await page.report.text(), /Read a secret file in the home folder\s+held\s+The random text/);
    assert.deepEqual(await page.report.columnTitles(), [
      'What was tried',
      'Result',
      'What the host saw',
      'What the probe says, which is no evidence',
    ]);
    assert.equal(await page.report.activeElements(), 0);
    await page.screenshot('proof');
    await page.pictureStatus('proven');
    assert.match(await page.statusTooltip(), /Proof: \d+\/\d+ held, /);
  });
});
