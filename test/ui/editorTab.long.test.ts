import { shellImage } from '../support/environment';
import { useWorkbench } from './useWorkbench';

describe('a sandbox in an editor tab', () => {
  const workbench = useWorkbench(() => ({
    name: 'tab',
    configuresModel: false,
    folderName: 'work',
    settings: {
      'sandboxedAgent.image': shellImage(),
      'sandboxedAgent.network': 'open',
      'terminal.integrated.defaultLocation': 'editor',
    },
  }));

  it('ends when the X of the tab is clicked', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated, network open/);
    const processes = await workbench().sandboxProcesses();
    await page.screenshot('open');
    await page.closeTab('Shell (sandboxed)');
    await workbench().gone(processes);
    await page.statusSays(/Agent: ready/);
  });
});
