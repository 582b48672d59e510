import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { assertFlat, inMegabytes, watchMemory } from '../sandbox/support/flatMemory';
import { paintCommand, painted, writePainter } from '../sandbox/support/painter';
import { shellImage } from '../support/environment';
import { waitUntil } from '../support/waitUntil';
import { AgentWorkbench } from './agentWorkbench';
import type { WorkbenchPage } from './workbenchPage';

/** How a terminal can be out of sight. */
type Hiding = 'panelHidden' | 'behindAnother';

/** VS Code keeps a thousand lines, and V8 grows to what a flood needs, before anything is level. */
const warmUpMilliseconds = 8000;

/** The same program paints much more often where a window looks that has a processor of its own. */
const leastFramesPerSecond = 3;

/**
 * Repaints a whole screen in a terminal of a real VS Code that nobody sees, and watches the memory of extension host and
 * supervisor: first while the panel is hidden, then while another terminal is in front. Each time the terminal must show
 * the present picture when it is shown again.
 *
 * @param seconds for each of the two
 * @returns what there was to see, for people
 */
export async function repaintHidden(seconds: number): Promise<string> {
  const workbench = await AgentWorkbench.open({
    name: 'hidden repaint',
    configuresModel: false,
    folderName: 'analysis',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.network': 'none' },
  });
  const { page, folder } = workbench;
  try {
    writePainter(folder);
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated, no network$/);
    await page.terminalShows(/> /);
    await page.typeIntoTerminal(`${paintCommand}\r`);
    await page.terminalShows(/frame \d+/);
    const seen = [
      await repaintUnseen(workbench, 'panelHidden', seconds),
      await repaintUnseen(workbench, 'behindAnother', seconds),
    ];
    const processes = await workbench.sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench.gone(processes, 10_000);
    return seen.join('\n');
  } catch (error) {
    await page.screenshot('failed');
    throw error;
  } finally {
    await workbench.close();
  }
}

async function repaintUnseen(workbench: AgentWorkbench, hiding: Hiding, seconds: number): Promise<string> {
  const { page, folder } = workbench;
  const host = await workbench.extensionHost();
  const [supervisor] = await workbench.sandboxProcesses();
  assert.ok(supervisor);
  await hide[hiding](page);
  await page.screenshot(hiding);
  const before = painted(folder);
  await delay(warmUpMilliseconds);
  const [ofHost = [], ofSupervisor = []] = await watchMemory([host.pid, supervisor.pid], seconds);
  assertFlat('extension host', ofHost);
  assertFlat('supervisor', ofSupervisor);
  const present = painted(folder);
  assert.ok(
    present - before > seconds * leastFramesPerSecond,
    `${present - before} pictures in ${seconds} s`,
  );
  await show[hiding](page);
  const shown = await framesFrom(page, present);
  await page.screenshot(`${hiding}, shown again`);
  await framesFrom(page, shown + 10);
  return [
    `${hiding}: ${present - before} pictures, ${shown} was shown when there were ${present}`,
    `  extension host in MB: ${inMegabytes(ofHost)}`,
    `  supervisor in MB: ${inMegabytes(ofSupervisor)}`,
  ].join('\n');
}

/** Waits until the terminal in front shows a picture that is not older than that one. @returns which one it shows */
async function framesFrom(page: WorkbenchPage, oldest: number): Promise<number> {
  return waitUntil(`picture ${oldest} or a later one is shown`, async () => {
    const frame = Number(/frame (\d+)/.exec(await page.terminalText())?.[1]);
    return frame >= oldest && frame;
  });
}

const togglePanel = (page: WorkbenchPage): Promise<void> => page.runCommand('View: Toggle Panel Visibility');

const hide: Readonly<Record<Hiding, (page: WorkbenchPage) => Promise<void>>> = {
  panelHidden: togglePanel,
  behindAnother: async (page) => {
    await page.runCommand('Terminal: Create New Terminal');
    await waitUntil('another terminal is in front', async () => (await page.terminalCount()) === 2);
  },
};

const show: Readonly<Record<Hiding, (page: WorkbenchPage) => Promise<void>>> = {
  panelHidden: togglePanel,
  behindAnother: (page) => page.runCommand('Terminal: Focus Previous Terminal'),
};
