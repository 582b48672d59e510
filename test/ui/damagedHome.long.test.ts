import assert from 'node:assert/strict';
import { cpSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { changeDatabase, homeOf, oneSession } from '../sandbox/support/sessionHome';
import { TestFolders } from '../sandbox/support/sandboxUnderTest';
import { emptyPrompt } from '../support/opencodePrompt';
import { AgentWorkbench } from './agentWorkbench';

describe('a damaged agent-home in the workbench', () => {
  let workbench: AgentWorkbench;
  const data = (): string => join(workbench.folder, 'agent-home/.local/share/opencode');

  before(async () => {
    workbench = await AgentWorkbench.open({ name: 'damaged home', folderName: 'damaged' });
    const elsewhere = new TestFolders();
    changeDatabase(elsewhere, `${oneSession} db.exec('PRAGMA wal_checkpoint(TRUNCATE)');`);
    cpSync(homeOf(elsewhere), join(workbench.folder, 'agent-home'), { recursive: true });
    elsewhere.remove();
    for (const suffix of ['-wal', '-shm']) rmSync(join(data(), `opencode.db${suffix}`), { force: true });
    const database = openSync(join(data(), 'opencode.db'), 'r+');
    // the last page is of an index or of the last rows
    const { size } = statSync(join(data(), 'opencode.db'));
    writeSync(database, Buffer.alloc(4096, 0xa5), 0, 4096, size - 4096);
  });
  afterEach(function () {
    return workbench.pictureFailure(this.currentTest);
  });
  after(() => workbench.close());

  it('is named before anything starts, and nothing starts when it is left as it is', async () => {
    const { page } = workbench;
    await page.runCommand('Start Sandboxed Agent');
    await page.chooseFirst('A model that you have not approved');
    await page.questions.dialogSays(/is damaged.*There is no backup/s);
    await page.screenshot('question');
    await page.questions.answerDialog(/is damaged/, 'Cancel');
    await page.statusSays(/Agent: ready/);
    assert.deepEqual(
      readdirSync(data()).filter((name) => name === 'damaged'),
      [],
    );
  });

  it('is begun anew, and the old one is kept', async () => {
    const { page } = workbench;
    await page.runCommand('Start Sandboxed Agent');
    await page.questions.answerDialog(/is damaged/, 'Start Fresh');
    await page.notificationSays(/starts without sessions/);
    await page.terminalShows(emptyPrompt);
    await page.statusSays(/Agent: isolated$/);
    assert.equal(readdirSync(join(data(), 'damaged')).length, 1);
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
  });
});
