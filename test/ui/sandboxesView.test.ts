import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { shellImage } from '../support/environment';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

describe('the view Sandboxes', () => {
  const workbench = useWorkbench(() => ({
    name: 'view',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.network': 'open' },
  }));

  it('says what to do while nothing runs', async () => {
    const { page } = workbench();
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/No sandbox is running[^]*Start Sandboxed Agent/);
    await page.screenshot('welcome');
  });

  it('lists what runs, with what was verified', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.sideBarSays(/Shell\s*isolated · network open · just started/);
    await page.screenshot('running');
  });

  it('says why there are no sessions with an image like this one, and how to get another', async () => {
    const { page } = workbench();
    await page.sideBarSays(/The image has no opencode[^]*Select Image…[^]*Pull Image/);
    await page.screenshot('no opencode');
  });

  it('keeps the selection while it follows the sandbox', async () => {
    const { page, folder } = workbench();
    await page.selectRow('Shell');
    assert.match(await page.rows.selected(), /Shell/);
    renameSync(folder, `${folder} 2`);
    await page.sideBarSays(/Shell\s*degraded/);
    assert.match(await page.rows.selected(), /Shell\s*degraded/);
    renameSync(`${folder} 2`, folder);
    await page.sideBarSays(/Shell\s*isolated/);
    assert.match(await page.rows.selected(), /Shell\s*isolated/);
  });

  it('has a menu on each row', async () => {
    const { page } = workbench();
    assert.deepEqual(await page.rows.menuOf('Shell'), [
      'Attach',
      'Stop',
      'Show Isolation Report',
      'Copy Command Line',
      'Review Changes',
    ]);
  });

  it('shows the report from there', async () => {
    const { page } = workbench();
    await page.rows.chooseInMenu('Shell', 'Show Isolation Report');
    await page.report.says(/isolated, network open/);
    await page.screenshot('report');
  });

  it('copies a command line from there', async () => {
    const { page } = workbench();
    await page.rows.chooseInMenu('Shell', 'Copy Command Line');
    await page.notificationSays(/The command line is on the clipboard/);
    await page.screenshot('copied');
    assert.match(await page.clipboard(), /\bexec\b[^]*--containall/);
  });

  it('brings the terminal back from there', async () => {
    const { page } = workbench();
    await page.runCommand('View: Toggle Panel Visibility');
    await page.rows.chooseInMenu('Shell', 'Attach');
    await waitUntil('the keyboard is in the terminal', () => page.terminalHasFocus());
    assert.equal(await page.terminalName(), 'Shell (sandboxed)');
  });

  it('stops it from there', async () => {
    const { page } = workbench();
    const processes = await workbench().sandboxProcesses();
    await page.rows.chooseInMenu('Shell', 'Stop');
    await workbench().gone(processes);
    await page.sideBarSays(/No sandbox is running/);
  });

  it('believes nothing of a supervisor that was stopped, and ends its sandbox all the same', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.sideBarSays(/Shell\s*isolated/);
    const processes = await workbench().sandboxProcesses();
    const [supervisor] = processes;
    assert.ok(supervisor);
    process.kill(supervisor.pid, 'SIGSTOP');
    await page.sideBarSays(/Shell\s*not verified/);
    await page.statusSays(/Agent: not verified/);
    await page.screenshot('not verified');
    await page.rows.clickButton('Shell', 'Stop');
    await workbench().gone(processes, 10_000);
    await page.sideBarSays(/No sandbox is running/);
    await page.statusSays(/Agent: ready/);
  });
});
