import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { image } from '../support/environment';
import { stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

describe('the view Findings', () => {
  const workbench = useWorkbench(() => ({
    name: 'findings',
    folderName: 'analysis',
    configuresModel: false,
    settings: { 'sandboxedAgent.image': image() },
  }));
  const at = (name: string): string => join(workbench().folder, name);

  it('is where a notification leads that says no name, when a sandbox made what runs by itself', async () => {
    const { page } = workbench();
    writeFileSync(at('Makefile'), 'all:\n');
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated$/);
    await page.terminalShows(/Apptainer>/);
    const evil = `printf '[core]\\n\\tfsmonitor = "touch ${at('ran')}; false"\\n' >>sub/.git/config`;
    await page.typeIntoTerminal(`git init -q sub; ${evil}; echo changed >>Makefile\r`);
    await page.notificationSays(/something was made or changed that this computer runs by itself/);
    assert.equal(await page.countNotifications(/sub|\.git\b/), 0);
    await page.statusSays(/Agent: isolated, 2 findings/);
    await page.screenshot('found');
  });

  it('shows the difference, while VS Code’s own git leaves the new repository alone', async () => {
    const { page } = workbench();
    await page.answerNotification(/runs by itself/, 'Show Findings');
    await page.sideBarSays(/sub\/\.git\s*new · git repository[^]*Makefile\s*changed · build file/);
    await page.rows.clickButton('Makefile', 'Show Difference');
    await page.tabIsOpen('Finding: before ↔ now');
    await page.editorSays(/all:[^]*changed/);
    await page.screenshot('difference');
    // it is seconds later: without our default of git.autoRepositoryDetection it has run (seen)
    assert.equal(existsSync(at('ran')), false);
  });

  it('puts git and tasks at rest until what runs by itself was taken away, and allows the rest', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Pause or Resume Git and Tasks');
    const settings = at('.vscode/settings.json');
    const isOff = (): boolean =>
      existsSync(settings) && /"git\.enabled": false/.test(readFileSync(settings, 'utf8'));
    await waitUntil('git is off', isOff);
    await page.rows.clickButton('sub/.git', 'Quarantine');
    await waitUntil('it is gone', () => !existsSync(at('sub/.git')));
    await page.statusSays(/Agent: isolated, 1 finding/);
    // nothing severe is left: git works again, and nothing of ours is in the folder
    await waitUntil('git is as it was', () => !existsSync(at('.vscode')), 60_000);
    await page.rows.clickButton('Makefile', 'Allow');
    await page.statusSays(/Agent: isolated$/);
  });

  it('and its sandbox is gone after Stop', async () => {
    const { page } = workbench();
    const processes = await workbench().sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    // the reader of the sessions, in the same side bar, goes on
    await waitUntil('the sandbox is gone', () => stillRunning(processes).length === 0);
    await page.statusSays(/Agent: ready/);
  });
});
