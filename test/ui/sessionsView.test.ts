import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { opencodeSessions } from '../sandbox/support/opencodeSessions';
import { homeOf } from '../sandbox/support/sessionHome';
import { TestFolders } from '../sandbox/support/sandboxUnderTest';
import { fileWritten } from '../support/agentWorkspace';
import { AgentWorkbench } from './agentWorkbench';

describe('the view Sessions', () => {
  let workbench: AgentWorkbench;

  before(async () => {
    workbench = await AgentWorkbench.open({ name: 'sessions', folderName: 'analysis' });
  });

  afterEach(function () {
    return workbench.pictureFailure(this.currentTest);
  });
  after(() => workbench.close());

  it('says that there are none yet', async () => {
    const { page } = workbench;
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/The agent has no sessions in this folder yet/);
    await page.screenshot('welcome');
  });

  it('lists by itself what the agent has done, also in a folder that was moved since', async () => {
    const { page, folder } = workbench;
    const elsewhere = new TestFolders();
    await opencodeSessions(elsewhere, ['greet Ada']);
    cpSync(homeOf(elsewhere), join(folder, 'agent-home'), { recursive: true });
    elsewhere.remove();
    // the home was made while the view was open, and nobody has to say so
    await page.sideBarSays(
      /Today\s*1\s*A greeting\s*now · 3 messages · 1 file|A greeting\s*\d+ min ago · 3 messages · 1 file/,
    );
    await page.screenshot('listed');
    await page.runCommand('Sandboxed Agent: Refresh Sessions');
    await page.sideBarSays(/A greeting/);
  });

  it('shows what was said and done', async () => {
    const { page } = workbench;
    await page.clickInRow('A greeting', 'Open Transcript');
    await page.tabIsOpen('Preview Session');
    await page.screenshot('transcript');
  });

  it('renames a session', async () => {
    const { page } = workbench;
    await page.selectRow('A greeting');
    await page.runCommand('Sandboxed Agent: Rename Session…');
    await page.answerInputBox('Rename Session', 'Hello, Ada', /^A greeting$/);
    await page.sideBarSays(/Hello, Ada/);
  });

  it('deletes a session, and restores it', async () => {
    const { page } = workbench;
    await page.selectRow('Hello, Ada');
    await page.runCommand('Sandboxed Agent: Delete Session');
    await page.notificationSays(/can be restored for 30 days/);
    await page.selectRow('Deleted');
    await page.sideBarSays(/Deleted\s*1\s*Hello, Ada\s*deleted/);
    await page.screenshot('deleted');
    await page.clickInRow('Hello, Ada', 'Restore Session');
    // nothing stands between it and the next view: it is among the deleted ones no more
    await page.sideBarSays(/Today\s*1\s*Hello, Ada[^\n]*\s*[^\n]*files?\s*Network Log/);
  });

  it('goes on with a session in a terminal', async () => {
    const { page } = workbench;
    await page.clickInRow('Hello, Ada', 'Resume Session');
    await page.chooseFirst('A model that you have not approved');
    await page.terminalShows(new RegExp(fileWritten));
    await page.screenshot('resumed');
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
  });
});
