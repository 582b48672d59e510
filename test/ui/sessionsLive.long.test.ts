import assert from 'node:assert/strict';
import { fileWritten, greetingScenario } from '../support/agentWorkspace';
import { giveTask } from '../support/opencodePrompt';
import { waitUntil } from '../support/waitUntil';
import { PreviewPage } from './previewPage';
import { useWorkbench } from './useWorkbench';

/** As long as it takes to look at what is said while the model thinks. */
const thinking = { delayMilliseconds: 30_000, text: 'I have thought.' };

describe('the view Sessions while an agent works', () => {
  const workbench = useWorkbench(() => ({
    name: 'sessions live',
    folderName: 'analysis',
    scenario: {
      ...greetingScenario,
      rules: [...greetingScenario.rules, { match: '^think$', steps: [thinking] }],
    },
  }));
  let preview: PreviewPage;
  before(() => {
    preview = new PreviewPage(workbench().page.page);
  });

  /** Types into opencode that shows a session, until it takes it. */
  async function say(prompt: string): Promise<void> {
    const { page } = workbench();
    await waitUntil(
      'opencode takes what is typed',
      async () => {
        await page.typeIntoTerminal('\x7f'.repeat(prompt.length) + prompt);
        return await waitUntil('', async () => (await page.terminalText()).includes(prompt), 3000).catch(
          () => false as const,
        );
      },
      60_000,
    );
    await page.typeIntoTerminal('\r');
  }

  it('lists what it does, and its transcript follows', async () => {
    const { page } = workbench();
    await page.runCommand('Start Sandboxed Agent');
    await page.chooseFirst('A model that you have not approved');
    const screen = { text: () => page.terminalText(), type: (text: string) => page.typeIntoTerminal(text) };
    await giveTask(screen, 'greet Ada');
    await page.terminalShows(new RegExp(fileWritten));
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/A greeting\s*now · 3 messages · 1 file/);
    await page.rows.clickButton('A greeting', 'Open Transcript');
    await preview.says(new RegExp(`greet Ada[^]*${fileWritten}`));
    await page.selectRow('A greeting');
    await say('think');
    await page.sideBarSays(/A greeting\s*running · now · 5 messages/);
    await preview.says(/think[^]*not finished/);
    await page.screenshot('running');
    await preview.says(/think[^]*I have thought\./);
    await page.sideBarSays(/A greeting\s*now · 5 messages/);
    assert.match(await page.rows.selected(), /^A greeting/);
  });

  it('goes on with a copy of a session, chosen in the menu of its row', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
    await page.rows.chooseInMenu('A greeting', 'Fork Session');
    await page.terminalShows(/I have thought\./);
    const agent = (await workbench().sandboxProcesses()).map(({ commandLine }) => commandLine);
    assert.ok(
      agent.some((line) => /^opencode -s ses_\w+ --fork$/.test(line)),
      agent.join('\n'),
    );
    await say('greet Bob');
    await page.sideBarSays(
      /A greeting \(fork #1\)\s*now · 8 messages[^]*A greeting\s*(now|\d+ min ago) · 5 messages/,
    );
    assert.match(await page.rows.selected(), /^A greeting(?! \(fork)/);
    await page.screenshot('forked');
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
  });
});
