import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

describe('the copy of opencode', () => {
  const workbench = useWorkbench(() => ({
    name: 'copy',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.opencodeCopy': true, 'sandboxedAgent.network': 'open' },
  }));

  it('is made when an agent has been started, and the next sandbox has it, as the report says', async () => {
    const { page, storageFolder } = workbench();
    const folder = join(storageFolder, 'opencode');
    const recorded = (): boolean =>
      existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.json'));
    await page.runCommand('Start Sandboxed Agent');
    await page.statusSays(/Agent: isolated/);
    await waitUntil('there is a copy', recorded, 180_000);
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated/);
    await page.runCommand('Sandboxed Agent: Show Isolation Report');
    await page.report.says(/opencode\/[0-9a-f]{64}\.opencode/);
    await page.screenshot('in the report');
    const processes = await workbench().sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench().gone(processes);
  });
});
