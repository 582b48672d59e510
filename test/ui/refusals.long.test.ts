import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configureModel } from '../support/agentWorkspace';
import { useWorkbench } from './useWorkbench';

const missing = (name: string): string => join(mkdtempSync(join(tmpdir(), 'missing-')), name);

describe('where no folder is open', () => {
  const workbench = useWorkbench(() => ({ name: 'no folder' }));

  it('says so', async () => {
    const { page } = workbench();
    await page.statusSays(/Agent: unavailable/);
    await page.pictureStatus('unavailable');
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/No folder is open\. The agent works in one folder[^]*Open Folder/);
    await page.runCommand('Start Sandboxed Agent');
    await page.notificationSays(/No folder is open/);
    await page.screenshot('refused');
  });
});

describe('where the folder is not trusted', () => {
  const workbench = useWorkbench(() => ({
    name: 'untrusted',
    configuresModel: false,
    folderName: 'work',
    workspaceTrust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never' },
  }));

  it('says so', async () => {
    const { page } = workbench();
    await page.statusSays(/Agent: unavailable/);
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/This workspace is in Restricted Mode[^]*Manage Workspace Trust/);
    await page.runCommand('Start Sandboxed Agent');
    await page.notificationSays(/Restricted Mode/);
    await page.screenshot('refused');
  });
});

describe('where there is no Apptainer', () => {
  const workbench = useWorkbench(() => ({
    name: 'no Apptainer',
    configuresModel: false,
    folderName: 'work',
    settings: { 'sandboxedAgent.apptainerPath': missing('apptainer') },
  }));

  it('says so, and how to get it', async () => {
    const { page } = workbench();
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/Apptainer can’t be used here[^]*Check Setup/);
    await page.runCommand('Start Sandboxed Agent');
    await page.notificationSays(/apptainer/i);
    await page.screenshot('refused');
  });
});

describe('where there is no image', () => {
  const workbench = useWorkbench(() => ({
    name: 'no image',
    configuresModel: false,
    folderName: 'work',
    settings: {
      'sandboxedAgent.image': missing('opencode.sif'),
      'sandboxedAgent.apptainerTemporaryFolder': missing('scratch'),
    },
  }));

  it('says so, and how to get one', async () => {
    const { page } = workbench();
    await page.openView('Sandboxed Agent');
    await page.sideBarSays(/there is none yet[^]*Pull Image[^]*Select Image…/);
    await page.runCommand('Start Sandboxed Agent');
    await page.notificationSays(/opencode\.sif/);
    await page.screenshot('refused');
  });

  it('does not pull one with a folder that can’t be used, and says so in Check Setup, too', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Pull Image');
    await page.notificationSays(
      /scratch of the setting sandboxedAgent\.apptainerTemporaryFolder does not exist/,
    );
    await page.runCommand('Sandboxed Agent: Check Setup');
    await page.report.says(
      /Room for unpacking: problem[^]*scratch of the setting[^]*does not exist[^]*Open Setting/,
    );
  });
});

describe('where VS Code knows a proxy that does not let a pull through', () => {
  const workbench = useWorkbench(() => ({
    name: 'a proxy',
    configuresModel: false,
    folderName: 'work',
    settings: {
      'sandboxedAgent.image': '',
      'sandboxedAgent.imageSource': 'docker://registry.example.org/agent:1',
      // nobody listens on the port of discard
      'http.proxy': 'http://me:hunter2-7a21@127.0.0.1:9',
    },
  }));

  it('says that it was the proxy', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Pull Image');
    await page.notificationSays(/The proxy did not let the pull of .*registry\.example\.org.* through/);
  });
});

describe('where the model does not answer', () => {
  const workbench = useWorkbench(() => ({
    name: 'no model',
    configuresModel: false,
    folderName: 'work',
  }));
  const reason = /model unreachable: refused.*waits without a word/;

  it('says so before a start, which can be given up', async () => {
    const { page, folder } = workbench();
    // nobody listens on the port of discard
    configureModel(folder, 'http://127.0.0.1:9/v1');
    await page.runCommand('Start Sandboxed Agent');
    await page.chooseFirst('A model that you have not approved');
    await page.questions.dialogSays(reason);
    await page.screenshot('question');
    await page.questions.answerDialog(reason, 'Cancel');
    await page.statusSays(/Agent: ready/);
  });

  it('says so in the status item when the agent is started all the same', async () => {
    const { page } = workbench();
    await page.runCommand('Start Sandboxed Agent');
    await page.questions.answerDialog(reason, 'Start Anyway');
    await page.statusSays(/Agent: isolated, model unreachable/);
    await page.pictureStatus('model unreachable');
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
  });
});
