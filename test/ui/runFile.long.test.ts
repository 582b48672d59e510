import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellImage, image } from '../support/environment';
import { useWorkbench } from './useWorkbench';

describe('Run Active File', () => {
  const workbench = useWorkbench(() => ({
    name: 'run file',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.analysisImage': image() },
  }));

  it('runs it in the image for analyses, and offers the picture that it has written', async () => {
    const { page, folder } = workbench();
    const picture =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const script = `import base64\nopen('plot.png', 'wb').write(base64.b64decode('${picture}'))\nopen('.envrc', 'w').write('x')\nprint('it is', 'done')\n`;
    writeFileSync(join(folder, 'plot.py'), script);
    await page.selectRow('plot.py');
    await page.editorSays(/import base64/);
    await page.runCommand('Sandboxed Agent: Run Active File');
    await page.terminalShows(/it is done/);
    await page.notificationSays(/The program has ended\. Pictures that it has written: 1\./);
    // it is watched and can be undone like an agent
    await page.notificationSays(/The sandbox has ended\. 2 files changed, 1 finding\./);
    await page.screenshot('done');
    await page.answerNotification(/Pictures/, 'Open Picture');
    await page.tabIsOpen('plot.png');
    await page.screenshot('picture');
  });
});
