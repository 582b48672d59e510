import assert from 'node:assert/strict';
import { shellImage } from '../support/environment';
import { useWorkbench } from './useWorkbench';

/** What a program sends to put a text on the clipboard (OSC 52, xterm's ctlseqs). */
const copy = "printf '\\033]52;c;aGVsbG8=\\007'";
const held = /wanted to copy something to your clipboard/;

describe('a program in a sandbox that wants to use the clipboard', () => {
  const workbench = useWorkbench(() => ({
    name: 'clipboard',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.network': 'none' },
  }));

  it('is held back, which is said once, with the way to allow it', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated, no network$/);
    await page.terminalShows(/> /);
    await page.typeIntoTerminal(`${copy}; ${copy}; echo $((41+1)) copies\r`);
    await page.terminalShows(/^42 copies$/m);
    await page.notificationSays(held);
    await page.typeIntoTerminal(`${copy}; echo $((50-1)) more\r`);
    await page.terminalShows(/^49 more$/m);
    assert.equal(await page.countNotifications(held), 1);
    await page.screenshot('held back');
    const processes = await workbench().sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench().gone(processes);
    await page.answerNotification(held, 'Open Setting');
    await page.settingsSay(/Sandboxed Agent: Clipboard/i);
    await page.screenshot('setting');
  });
});
