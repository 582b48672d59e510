import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { image } from '../support/environment';
import { stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

/** Asks the proxy also for this very computer; a name that is denied is asked of no name server. */
function fetch(mark: string, host: string): string {
  return `clear; curl --noproxy '' -so /dev/null -w '${mark} %{http_code}\\n' http://${host}/\r`;
}

describe('the Network Log', () => {
  let server: Server;
  before(async () => {
    server = createServer((_request, response) => response.end('here'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const port = (): number => (server.address() as AddressInfo).port;
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
    await page.typeIntoTerminal(fetch('first', `localhost:${port()}`));
    await page.terminalShows(/^first 403$/m);
    await page.notificationSays(/was denied a connection\. The Network Log says to which host/);
    await page.badgeSays(/Denied hosts that nobody has looked at: 1/);
    await page.screenshot('denied');
    await page.answerNotification(/was denied a connection/, 'Show');
    await page.sideBarSays(new RegExp(`localhost:${port()}\\s*denied`));
    await page.screenshot('log');
  });

  it('allows a host for the workspace from its row, and its private address only after a question', async () => {
    const { page } = workbench();
    const host = `localhost:${port()}`;
    await page.rows.clickButton(host, 'Allow Host for This Workspace');
    await page.sideBarSays(new RegExp(`${host}\\s*allowed now.*denied`));
    await page.typeIntoTerminal(fetch('second', host));
    await page.terminalShows(/^second 403$/m);
    await page.sideBarSays(new RegExp(`${host}\\s*denied 2 times.*private address`));
    await page.rows.chooseInMenu(host, 'Allow Host for This Workspace');
    await page.questions.dialogSays(/This leads to 127\.0\.0\.1 \(this computer itself\)/);
    await page.screenshot('question');
    await page.questions.answerDialog(/This leads to/, 'Allow');
    await page.sideBarSays(new RegExp(`${host}\\s*allowed now · denied 2 times`));
    await page.typeIntoTerminal(fetch('third', host));
    await page.terminalShows(/^third 200$/m);
    await page.sideBarSays(new RegExp(`${host}\\s*allowed · not encrypted`));
    await page.screenshot('allowed');
  });

  it('allows an address until the sandbox ends', async () => {
    const { page } = workbench();
    const host = `127.0.0.1:${port()}`;
    await page.runCommand('Sandboxed Agent: Allowed Hosts…');
    await page.questions.offers('Hosts that sandboxes for analysis may reach');
    await page.screenshot('allowed hosts');
    await page.questions.clickButton('Hosts that sandboxes for analysis may reach', 'Add a host…');
    await page.answerInputBox('Add a Host', 'data.example.org');
    const offers = await page.questions.offers('Hosts that sandboxes for analysis may reach');
    assert.ok(offers.includes('data.example.org'), offers.join('\n'));
    // what is ticked is taken off
    await page.questions.tick('Hosts that sandboxes for analysis may reach', host);
    await page.sideBarSays(new RegExp(`localhost:${port()}\\s*denied 2 times`));
    await page.typeIntoTerminal(fetch('fourth', host));
    await page.terminalShows(/^fourth 403$/m);
    await page.sideBarSays(new RegExp(`\\b${host}\\s*denied`));
    await page.rows.clickButton(host, 'Allow Host Once');
    await page.questions.answerDialog(/This leads to 127\.0\.0\.1/, 'Allow');
    await page.sideBarSays(new RegExp(`\\b${host}\\s*allowed now.*denied`));
    await page.typeIntoTerminal(fetch('fifth', host));
    await page.terminalShows(/^fifth 200$/m);
  });

  it('keeps a host denied, and says no more of it', async () => {
    const { page } = workbench();
    const host = 'tracker.example.org:80';
    await page.typeIntoTerminal(fetch('sixth', 'tracker.example.org'));
    await page.terminalShows(/^sixth 403$/m);
    await page.sideBarSays(/tracker\.example\.org:80\s*denied/);
    await page.rows.clickButton(host, 'Keep Host Denied');
    await page.sideBarSays(/tracker\.example\.org:80\s*kept denied · denied/);
    await page.screenshot('kept denied');
  });

  it('has hosts that Allowed Hosts offers, marked as denied, and allows those that are ticked', async () => {
    const { page } = workbench();
    const title = 'Hosts that sandboxes for analysis may reach';
    await page.typeIntoTerminal(fetch('seventh', 'open.example.org'));
    await page.terminalShows(/^seventh 403$/m);
    await page.runCommand('Sandboxed Agent: Allowed Hosts…');
    const offers = await page.questions.offers(title);
    assert.ok(
      offers.some((offer) => /^open\.example\.org:80 ?denied/.test(offer)),
      offers.join('\n'),
    );
    // somebody has decided on that one
    assert.ok(!offers.some((offer) => offer.includes('tracker')), offers.join('\n'));
    await page.screenshot('denied hosts offered');
    await page.questions.confirm(title);
    await page.sideBarSays(/open\.example\.org:80\s*denied/);
    const inside = `127.0.0.2:${port()}`;
    await page.typeIntoTerminal(fetch('eighth', inside));
    await page.terminalShows(/^eighth 403$/m);
    await page.runCommand('Sandboxed Agent: Allowed Hosts…');
    // the latest first: its question comes before the other is allowed
    await page.questions.tick(title, inside, 'open.example.org:80');
    await page.questions.answerDialog(/This leads to 127\.0\.0\.2/, 'Cancel');
    await page.sideBarSays(/open\.example\.org:80\s*allowed now · denied/);
    await page.sideBarSays(new RegExp(`${inside}\\s*denied`));
  });

  it('can be filtered, and saved as it is filtered', async () => {
    const { page, folder } = workbench();
    await page.runCommand('Sandboxed Agent: Filter Network Log…');
    await page.questions.choose('Filter the Network Log', 'allowed only');
    await page.sideBarSays(/allowed only/i);
    const target = join(folder, 'network-log.csv');
    await page.runCommand('Sandboxed Agent: Export Network Log…');
    await page.answerInputBox('Export the Network Log', target, /\.csv$/);
    await page.notificationSays(/The Network Log was saved/);
    const [head, ...lines] = readFileSync(target, 'utf8').trimEnd().split('\r\n');
    assert.match(head ?? '', /^time,sandbox,.*verdict/);
    assert.ok(lines.length > 0);
    assert.deepEqual(
      lines.filter((line) => !line.includes(',"plain","allowed",')),
      [],
    );
  });

  it('has what may be reached in the isolation report', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Show Isolation Report');
    await page.report.says(/What it may reach\s+restricted: /);
    await page.report.says(new RegExp(`127\\.0\\.0\\.1:${port()}\\s+allowed host.*this sandbox ends`));
    await page.report.says(new RegExp(`localhost:${port()}\\s+allowed host.*you remove it`));
    await page.report.scrollTo('What it may reach');
    await page.screenshot('report');
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
