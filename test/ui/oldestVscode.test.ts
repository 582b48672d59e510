import assert from 'node:assert/strict';
import { shellImage } from '../support/environment';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

describe('the oldest VS Code that is supported', () => {
  const workbench = useWorkbench(() => ({
    name: 'oldest',
    release: 'oldest',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.network': 'none' },
  }));

  it('starts a sandbox', async () => {
    const { page } = workbench();
    await page.statusSays(/Agent: ready/);
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated, no network$/);
    await page.terminalShows(/> /);
    await page.typeIntoTerminal('echo $((41+1)) lines\r');
    await page.terminalShows(/^42 lines$/m);
    await page.screenshot('started');
  });

  it('shows it in the view and in the report', async () => {
    const { page } = workbench();
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/Shell\s*isolated/);
    await page.runCommand('Sandboxed Agent: Show Isolation Report');
    await page.report.says(/isolated[^]*No privileges \(capabilities\)\s+holds/);
    await page.screenshot('report');
  });

  it('shows it again after a reload', async () => {
    const { page } = workbench();
    const processes = await workbench().sandboxProcesses();
    await page.reload();
    await page.statusSays(/Agent: isolated, no network$/);
    await page.terminalShows(/^42 lines$/m);
    await waitUntil('the keyboard is in the terminal', () => page.terminalHasFocus());
    assert.equal(await page.terminalName(), 'Shell (sandboxed)');
    assert.deepEqual((await workbench().sandboxProcesses())[0], processes[0]);
    await page.closeTerminal('Shell (sandboxed)');
    await workbench().gone(processes);
  });
});
