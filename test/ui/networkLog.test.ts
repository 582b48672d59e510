import { image } from '../support/environment';
import { stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

/** Asks the proxy for this very computer: the name is found without a name server, and nothing leaves it. */
function fetchLocalhost(mark: string): string {
  return `curl --noproxy '' -so /dev/null -w '${mark} %{http_code}\\n' http://localhost:9/\r`;
}

describe('the Network Log', () => {
  const workbench = useWorkbench(() => ({
    name: 'network log',
    folderName: 'analysis',
    configuresModel: false,
    settings: { 'sandboxedAgent.image': image() },
  }));

  it('is where a notification leads that a host was denied, without its name', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated$/);
    await page.terminalShows(/Apptainer>/);
    await page.typeIntoTerminal(fetchLocalhost('first'));
    await page.terminalShows(/^first 403$/m);
    await page.notificationSays(/was denied a connection\. The Network Log says to which host/);
    await page.screenshot('denied');
    await page.answerNotification(/was denied a connection/, 'Show');
    await page.sideBarSays(/localhost:9\s*denied/);
    await page.screenshot('log');
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
