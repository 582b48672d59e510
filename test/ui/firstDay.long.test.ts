import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { demoScenario } from '../../scripts/demoModel/demoScenario';
import { emptyPrompt, giveTask } from '../support/opencodePrompt';
import { stillRunning } from '../support/processes';
import { projectFile } from '../support/projectFile';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

describe('the first day with an agent', () => {
  const workbench = useWorkbench(() => ({
    name: 'first day',
    folderName: 'muons',
    scenario: { ...demoScenario, models: ['scripted'], title: 'Histogram of muon momenta' },
    settings: { 'workbench.editor.enablePreview': false },
  }));

  it('has the agent draw what the example asks for, with all that is to be seen: docs/workbench.png', async () => {
    const { page, folder } = workbench();
    cpSync(projectFile('example'), folder, { recursive: true });
    await page.runCommand('Start Sandboxed Agent');
    await page.chooseFirst('A model that you have not approved');
    await page.statusSays(/Agent: isolated/);
    await page.terminalShows(emptyPrompt);
    await pullUpPanel(page.page, 140);
    const screen = { text: () => page.terminalText(), type: (text: string) => page.typeIntoTerminal(text) };
    await giveTask(screen, 'Do what TASK.md says');
    await page.terminalShows(/has drawn pt_histogram\.png/);
    await waitUntil('the picture is there', () => existsSync(join(folder, 'pt_histogram.png')));
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/Agent\s*isolated · network restricted[^]*Histogram of muon momenta/);
    // opencode asks for github.com by itself
    await page.page.locator('.part.sidebar .pane-header', { hasText: 'Network Log' }).click();
    await page.sideBarSays(/github\.com:443\s*denied/);
    await page.openFile('pt_histogram.png');
    await page.statusSays(/640x400/);
    await page.clearNotifications();
    await page.screenshot('at work');
  });

  it('offers for a review what the agent did, also after a look around in a shell', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.sideBarSays(/Shell\s*isolated/);
    await page.runCommand('Sandboxed Agent: Review Changes');
    const [first, second] = await page.questions.offers('Review Changes');
    assert.match(first ?? '', /^Start of an agent/);
    assert.match(second ?? '', /^Start of a shell/);
    await page.screenshot('moments');
    await page.chooseFirst('Review Changes');
    await page.sideBarSays(/pt_histogram\.py\s*new/);
    await page.screenshot('review');
  });

  it('ends with its terminals', async () => {
    const { page } = workbench();
    await page.closeTerminal('Shell');
    const processes = await workbench().sandboxProcesses();
    await page.closeTerminal('Agent');
    // the reader of the sessions, in the side bar, goes on
    await waitUntil('the sandbox is gone', () => stillRunning(processes).length === 0);
    await page.statusSays(/Agent: ready/);
  });
});

/** Makes place for a terminal. @param pixels how far its upper edge is pulled */
async function pullUpPanel(page: Page, pixels: number): Promise<void> {
  const panel = await page.locator('.part.panel').boundingBox();
  assert.ok(panel);
  const middle = panel.x + panel.width / 2;
  // the edge that takes the mouse is in the gap above
  const edge = panel.y - 2;
  await page.mouse.move(middle, edge);
  await page.mouse.down();
  await page.mouse.move(middle, edge - pixels, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(0, 0);
}
