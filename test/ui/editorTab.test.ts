import { shellImage } from '../support/environment';
import { AgentWorkbench } from './agentWorkbench';

describe('a sandbox in an editor tab', () => {
  let workbench: AgentWorkbench;

  before(async () => {
    workbench = await AgentWorkbench.open({
      name: 'tab',
      folderName: 'work',
      settings: { 'sandboxedAgent.image': shellImage(), 'terminal.integrated.defaultLocation': 'editor' },
    });
  });

  afterEach(function () {
    return workbench.pictureFailure(this.currentTest);
  });
  after(() => workbench.close());

  it('ends when the X of the tab is clicked', async () => {
    const { page } = workbench;
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated, network open/);
    const processes = await workbench.sandboxProcesses();
    await page.screenshot('open');
    await page.closeTab('Sandboxed Shell');
    await workbench.gone(processes);
    await page.statusSays(/Agent: ready/);
  });
});
