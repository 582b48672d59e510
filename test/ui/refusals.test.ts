import { AgentWorkbench } from './agentWorkbench';

describe('where no sandbox can be started', () => {
  let workbench: AgentWorkbench;

  afterEach(async function () {
    await workbench.pictureFailure(this.currentTest);
    await workbench.close();
  });

  it('says that no folder is open', async () => {
    workbench = await AgentWorkbench.open({ name: 'no folder' });
    const { page } = workbench;
    await page.statusSays(/Agent: unavailable/);
    await page.runCommand('Start Sandboxed Agent');
    await page.notificationSays(/No folder is open/);
    await page.screenshot('refused');
  });

  it('says that the folder is not trusted', async () => {
    workbench = await AgentWorkbench.open({
      name: 'untrusted',
      folderName: 'work',
      workspaceTrust: true,
      settings: { 'security.workspace.trust.startupPrompt': 'never' },
    });
    const { page } = workbench;
    await page.statusSays(/Agent: unavailable/);
    await page.runCommand('Start Sandboxed Agent');
    await page.notificationSays(/Restricted Mode/);
    await page.screenshot('refused');
  });
});
