import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { opencodeSessions } from '../sandbox/support/opencodeSessions';
import { changeDatabaseMeanwhile, homeOf, id } from '../sandbox/support/sessionHome';
import { TestFolders } from '../sandbox/support/sandboxUnderTest';
import { fileWritten } from '../support/agentWorkspace';
import { waitUntil } from '../support/waitUntil';
import { AgentWorkbench } from './agentWorkbench';
import { PreviewPage } from './previewPage';

const otherId = id('ses', 905);

/** A message that says `text`, and that a file was changed. */
const message = (number: number, text: string): string => `{
  const time = { time_created: Date.now(), time_updated: Date.now() };
  const owner = { session_id: '${otherId}' };
  insert('message', { id: id('msg', ${number}), ...owner, ...time, data: JSON.stringify({ role: 'user',
    summary: { diffs: [{ file: 'notes/plan.txt', additions: 1, deletions: 0 }] } }) });
  insert('part', { id: id('prt', ${number}), message_id: id('msg', ${number}), ...owner, ...time,
    data: JSON.stringify({ type: 'text', text: '${text}' }) });
}`;

/** Another session in the database of an opencode: made like the one that is there. */
const otherSession = `
insert('session', { ...db.prepare('SELECT * FROM session').get(), id: '${otherId}', title: 'Muon plots',
  time_created: Date.now(), time_updated: Date.now() });
${message(905, 'plot the muons')}`;

describe('the view Sessions', () => {
  let workbench: AgentWorkbench;
  let preview: PreviewPage;

  before(async () => {
    workbench = await AgentWorkbench.open({ name: 'sessions', folderName: 'analysis' });
    preview = new PreviewPage(workbench.page.page);
  });

  /** Has a script change the database, as an agent could. */
  const change = (script: string): Promise<void> =>
    changeDatabaseMeanwhile({ workspace: workbench.folder, root: dirname(workbench.folder) }, script);

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
    await page.rows.clickButton('A greeting', 'Open Transcript');
    await page.tabIsOpen('Preview Session');
    await preview.says(/Prompt[^]*greet Ada[^]*Tool write[^]*The greeting is written\./);
    await page.screenshot('transcript');
  });

  it('keeps the selection while the list changes', async () => {
    const { page } = workbench;
    await page.selectRow('A greeting');
    await change(otherSession);
    await page.sideBarSays(/Today\s*2\s*Muon plots\s*now · 1 message · 1 file\s*A greeting/);
    assert.match(await page.rows.selected(), /^A greeting/);
    await change(`db.exec("UPDATE session SET title='Kaon plots' WHERE id='${otherId}'")`);
    await page.sideBarSays(/Today\s*2\s*Kaon plots[^]*A greeting/);
    assert.match(await page.rows.selected(), /^A greeting/);
    await page.screenshot('selected');
  });

  it('adds what is said later, and tells sessions apart by their tabs', async () => {
    const { page } = workbench;
    const first = await page.activeTab();
    await page.rows.clickButton('Kaon plots', 'Open Transcript');
    await preview.says(/plot the muons/);
    const second = await page.activeTab();
    assert.match(second, /Session \d{4}-\d\d-\d\d \d\d\.\d\d 000905/);
    assert.notEqual(first, second);
    await change(message(906, 'and now the kaons'));
    await preview.says(/plot the muons[^]*and now the kaons/);
  });

  it('opens a changed file of the folder, and none to which a link leads out of it', async () => {
    const { page, folder } = workbench;
    const outside = join(dirname(folder), 'outside');
    for (const [place, text] of [
      [join(folder, 'notes'), 'of the agent'],
      [outside, 'of the user'],
    ] as const) {
      mkdirSync(place);
      writeFileSync(join(place, 'plan.txt'), `the plan ${text}`);
    }
    await page.selectRow('Kaon plots');
    await page.rows.clickButton('plan.txt', 'Open Changed File');
    await page.editorSays(/the plan of the agent/);
    await page.closeTab('plan.txt');
    // a reading of it sets the time of the last access, which is before the time of the last change
    utimesSync(join(outside, 'plan.txt'), new Date(1000), new Date());
    rmSync(join(folder, 'notes'), { recursive: true });
    symlinkSync(outside, join(folder, 'notes'));
    await page.rows.clickButton('plan.txt', 'Open Changed File');
    await page.notificationSays(/This file is not in the agent’s folder any more/);
    assert.equal(await page.countTabs('plan.txt'), 0);
    assert.equal(statSync(join(outside, 'plan.txt')).atimeMs, 1000);
    readFileSync(join(outside, 'plan.txt'));
    assert.notEqual(statSync(join(outside, 'plan.txt')).atimeMs, 1000);
    await page.clearNotifications();
  });

  it('is filtered by titles, and gives the id of a session', async () => {
    const { page } = workbench;
    await page.rows.chooseInMenu('Kaon plots', 'Copy Session ID');
    await waitUntil('the id is on the clipboard', async () => (await page.clipboard()) === otherId);
    await page.runCommand('Sandboxed Agent: Filter Sessions…');
    await page.answerInputBox('Filter Sessions', 'kAON');
    await page.rows.isGone('A greeting');
    await page.sideBarSays(/Kaon plots/);
    await page.screenshot('filtered');
    await page.runCommand('Sandboxed Agent: Filter Sessions…');
    await page.answerInputBox('Filter Sessions', '', /^kAON$/);
    await page.sideBarSays(/Kaon plots[^]*A greeting/);
  });

  it('takes off the list what is gone', async () => {
    const { page } = workbench;
    await change(`for (const table of ['part', 'message']) db.exec("DELETE FROM " + table + " WHERE session_id='${otherId}'");
      db.exec("DELETE FROM session WHERE id='${otherId}'")`);
    await page.rows.isGone('Kaon plots');
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
    await page.rows.clickButton('Hello, Ada', 'Restore Session');
    // nothing stands between it and the next view: it is among the deleted ones no more
    await page.sideBarSays(/Today\s*1\s*Hello, Ada[^\n]*\s*[^\n]*files?\s*Network Log/);
  });

  it('goes on with a session in a terminal', async () => {
    const { page } = workbench;
    await page.rows.clickButton('Hello, Ada', 'Resume Session');
    await page.chooseFirst('A model that you have not approved');
    await page.terminalShows(new RegExp(fileWritten));
    await page.screenshot('resumed');
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
  });
});
