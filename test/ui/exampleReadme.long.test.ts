import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setEditorSettings } from '../../scripts/try/editorSettings';
import { openWorkbench, type Workbench } from '../host/workbench';
import { projectFile } from '../support/projectFile';
import { WorkbenchPage } from './workbenchPage';

describe('the window of npm run try', () => {
  let workbench: Workbench | undefined;
  after(() => workbench?.close());

  it('shows the README of the example by itself', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'try-')), 'example');
    cpSync(projectFile('example'), folder, { recursive: true });
    const userDataFolder = mkdtempSync(join(tmpdir(), 'vscode-user-'));
    await setEditorSettings(userDataFolder, {});
    workbench = await openWorkbench({ folder, userDataFolder, greets: true, workspaceTrust: false });
    const page = new WorkbenchPage(workbench.page, 'try');
    await page.ready();
    await page.tabIsOpen('[Preview] README.md');
    await page.screenshot('readme');
  });
});
