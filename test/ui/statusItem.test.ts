import { chmodSync, copyFileSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { apptainer, shellImage } from '../support/environment';
import { writeProgram } from '../support/temporaryFolder';
import { useWorkbench } from './useWorkbench';

/** Beside the workspaces, where no agent writes. */
const folder = mkdtempSync(join(tmpdir(), 'status-'));
const image = join(folder, 'image.sif');
const hold = join(folder, 'hold');

/** An Apptainer that starts no container for as long as there is a file {@link hold}. */
function hesitantApptainer(): string {
  const real = apptainer();
  return writeProgram(
    join(folder, 'apptainer'),
    `case " $* " in *" exec "*) while [ -e '${hold}' ]; do sleep 0.1; done;; esac
PATH='${dirname(real)}':"$PATH" exec '${real}' "$@"`,
  );
}

describe('the status item, in every state', () => {
  before(() => {
    copyFileSync(shellImage(), image);
    chmodSync(image, 0o600);
  });
  // registered first, so that it comes before the window closes
  after(() => {
    rmSync(hold, { force: true });
  });
  const workbench = useWorkbench(() => ({
    name: 'status',
    configuresModel: false,
    folderName: 'analysis',
    settings: {
      'sandboxedAgent.image': image,
      'sandboxedAgent.apptainerPath': hesitantApptainer(),
      'sandboxedAgent.network': 'none',
    },
  }));

  it('is ready while nothing runs', async () => {
    const { page } = workbench();
    await page.statusSays(/Agent: ready/);
    await page.pictureStatus('ready');
  });

  it('is starting until the container has been verified', async () => {
    const { page } = workbench();
    writeFileSync(hold, '');
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: starting/);
    await page.pictureStatus('starting');
  });

  it('is isolated then, and says that there is no network', async () => {
    const { page } = workbench();
    rmSync(hold);
    await page.statusSays(/Agent: isolated, no network$/);
    await page.pictureStatus('isolated');
  });

  it('is not verified while the supervisor gives no sign of life', async () => {
    const { page } = workbench();
    const [supervisor] = await workbench().sandboxProcesses();
    process.kill(supervisor?.pid ?? 0, 'SIGSTOP');
    await page.statusSays(/Agent: not verified/);
    await page.pictureStatus('not verified');
    process.kill(supervisor?.pid ?? 0, 'SIGCONT');
    await page.statusSays(/Agent: isolated, no network$/);
  });

  it('is degraded while the folder has another name', async () => {
    const { page, folder: workspace } = workbench();
    renameSync(workspace, `${workspace} 2`);
    await page.statusSays(/Agent: sandbox degraded/);
    await page.pictureStatus('degraded');
    renameSync(`${workspace} 2`, workspace);
    await page.statusSays(/Agent: isolated, no network$/);
  });

  it('is broken when the image is touched, and the sandbox is ended', async () => {
    const { page } = workbench();
    const processes = await workbench().sandboxProcesses();
    utimesSync(image, new Date(), new Date());
    await page.statusSays(/Agent: sandbox broken/);
    await page.notificationSays(/was no longer isolated as it should be, and was ended/);
    await page.pictureStatus('broken');
    await workbench().gone(processes, 10_000);
  });

  it('is ready again when the report on it has been read', async () => {
    const { page } = workbench();
    await page.answerNotification(/was no longer isolated/, 'Show Isolation Report');
    await page.report.says(/broken[^]*not, or no longer, the file that was checked/);
    await page.screenshot('report of the broken one');
    await page.statusSays(/Agent: ready/);
  });
});

describe('the status item where the network is open', () => {
  const workbench = useWorkbench(() => ({
    name: 'status open',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.network': 'open' },
  }));

  it('says so', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated, network open/);
    await page.pictureStatus('isolated, network open');
    const processes = await workbench().sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench().gone(processes);
  });
});
