import assert from 'node:assert/strict';
import { shellImage } from '../support/environment';
import { stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

describe('when the extension host dies', () => {
  const workbench = useWorkbench(() => ({
    name: 'extension host',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.network': 'none' },
  }));

  it('leaves the sandbox running, with what it showed', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated, no network$/);
    await page.terminalShows(/> /);
    await page.typeIntoTerminal('echo $((41+1)) lines\r');
    await page.terminalShows(/^42 lines$/m);
    const processes = await workbench().sandboxProcesses();
    const host = await workbench().extensionHost();
    process.kill(host.pid, 'SIGKILL');
    await waitUntil('the extension host is gone', () => stillRunning([host]).length === 0);
    await page.screenshot('killed');
    await page.reload();
    await page.statusSays(/Agent: isolated, no network$/);
    await page.terminalShows(/^42 lines$/m);
    await waitUntil('the keyboard is in the terminal', () => page.terminalHasFocus());
    assert.equal(await page.terminalName(), 'Shell (sandboxed)');
    await page.screenshot('attached again');
    assert.notEqual((await workbench().extensionHost()).pid, host.pid);
    assert.deepEqual(stillRunning(processes), processes);
  });

  it('goes on taking what is typed', async () => {
    const { page } = workbench();
    // not a shell of the host, which would answer too
    await page.typeIntoTerminal('echo $((50-1)) in $(cat /proc/sys/kernel/hostname)\r');
    await page.terminalShows(/^49 in sandbox$/m);
    const processes = await workbench().sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench().gone(processes);
  });
});
