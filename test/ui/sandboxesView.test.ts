import assert from 'node:assert/strict';
import { shellImage } from '../support/environment';
import { AgentWorkbench } from './agentWorkbench';

describe('the view Sandboxes', () => {
  let workbench: AgentWorkbench;

  before(async () => {
    workbench = await AgentWorkbench.open({
      name: 'view',
      folderName: 'analysis',
      settings: { 'sandboxedAgent.image': shellImage() },
    });
  });

  afterEach(function () {
    return workbench.pictureFailure(this.currentTest);
  });
  after(() => workbench.close());

  it('says what to do while nothing runs', async () => {
    const { page } = workbench;
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/No sandbox is running[^]*Start Sandboxed Agent/);
    await page.screenshot('welcome');
  });

  it('lists what runs, with what was verified', async () => {
    const { page } = workbench;
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.sideBarSays(/analysis\s*shell · isolated · network open · just started/);
    await page.screenshot('running');
  });

  it('shows the report', async () => {
    const { page } = workbench;
    await page.runCommand('Sandboxed Agent: Show Isolation Report');
    await page.tabIsOpen('Preview Isolation Report.md');
    await page.screenshot('report');
  });

  it('believes nothing of a supervisor that was stopped, and ends its sandbox all the same', async () => {
    const { page } = workbench;
    const processes = await workbench.sandboxProcesses();
    const [supervisor] = processes;
    assert.ok(supervisor);
    process.kill(supervisor.pid, 'SIGSTOP');
    await page.sideBarSays(/shell · not verified/);
    await page.statusSays(/Agent: not verified/);
    await page.screenshot('not verified');
    await page.clickInRow('analysis', 'Stop');
    await workbench.gone(processes, 10_000);
    await page.sideBarSays(/No sandbox is running/);
    await page.statusSays(/Agent: ready/);
  });
});
