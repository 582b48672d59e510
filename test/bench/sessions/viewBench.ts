import { cpSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { changeDatabaseMeanwhile, dataOf, homeOf } from '../../sandbox/support/sessionHome';
import type { TestFolders } from '../../sandbox/support/sandboxUnderTest';
import { processesBelow } from '../../support/processes';
import { AgentWorkbench } from '../../ui/agentWorkbench';
import { patienceMilliseconds } from '../../ui/patience';
import { PreviewPage } from '../../ui/previewPage';
import { type Figure, timed } from '../bench';
import { processorNanoseconds } from '../running/processUse';
import { atMost } from './atMost';
import { collectedMegabytes } from './collectedMemory';

/** Of a busy agent, as many as are written for the figure of processor time, and how far apart. */
const changes = 20;
const changeMilliseconds = 250;

/** The session that was used last. */
export interface LatestSession {
  readonly title: string;
  /** what is in each message */
  readonly text: string;
  /** the title of the one before, which is short */
  readonly before: string;
  /** JavaScript that gives it the title that a variable `title` has */
  readonly rename: string;
}

/** The view Sessions in VS Code and a browser, from a click on. @param filled folders with ten thousand sessions */
export async function* measureView(filled: TestFolders, latest: LatestSession): AsyncGenerator<Figure> {
  const workbench = await AgentWorkbench.open({ name: 'bench', configuresModel: false, folderName: 'work' });
  try {
    const { folder, page } = workbench;
    cpSync(homeOf(filled), join(folder, 'agent-home'), { recursive: true });
    const host = (await workbench.extensionHost()).pid;
    const before = collectedMegabytes(host);
    yield atMost(
      'view opened, until its first rows are in sight',
      'ms',
      await opening(workbench, latest),
      1500,
    );
    await page.runCommand('View: Show Explorer');
    yield atMost('view opened once more', 'ms', await opening(workbench, latest), 500);
    yield atMost('a change, from its writing on until it is in sight', 'ms', await change(workbench), 300);
    yield* changesOfBusyAgent(workbench, latest);
    const taken = collectedMegabytes(host) - before;
    yield atMost('memory that this takes of the extension host', 'MB', taken, 30);
    // VS Code's own preview takes its time the first time
    for (const [name, title] of [
      ['a short transcript in sight, the first page of all', latest.before],
      ['a transcript of 5,000 messages in sight', 'busy'],
    ] as const) {
      yield atMost(name, 'ms', await transcript(workbench, title, latest.text), 1000);
    }
  } finally {
    await workbench.close();
  }

  async function change({ folder, page }: AgentWorkbench): Promise<number> {
    const folders = { workspace: folder, root: dirname(folder) };
    const shown = isShown(page, 'once').then(() => Date.now());
    await changeDatabaseMeanwhile(folders, `{ const title = 'once'; ${latest.rename} }`);
    // nothing is written after the commit: the writer is killed
    return (await shown) - statSync(join(dataOf(folders), 'opencode.db-wal')).mtimeMs;
  }
}

function opening({ page }: AgentWorkbench, { title }: LatestSession): Promise<number> {
  return timed(async () => {
    await page.openView('Sandboxed Agent');
    await isShown(page, title);
  });
}

function isShown({ page }: AgentWorkbench['page'], title: string): Promise<void> {
  const row = page.locator('.part.sidebar .monaco-list-row').filter({ hasText: title });
  return row.first().waitFor({ timeout: patienceMilliseconds });
}

function transcript({ page }: AgentWorkbench, title: string, text: string): Promise<number> {
  return timed(async () => {
    await page.rows.clickButton(title, 'Open Transcript');
    await new PreviewPage(page.page).says(new RegExp(`${title}[^]*${text}`));
  });
}

/** Processor time of the extension host, of the reader and of what keeps it, for each of many changes. */
async function* changesOfBusyAgent(
  workbench: AgentWorkbench,
  { rename }: LatestSession,
): AsyncGenerator<Figure> {
  const { folder, page } = workbench;
  const host = (await workbench.extensionHost()).pid;
  const others = processesBelow(host).flatMap(({ pid }) => (pid === host ? [] : [pid]));
  const used = (): number[] => [[host], others].map((pids) => processorNanoseconds(pids) / 1e6);
  const before = used();
  await changeDatabaseMeanwhile(
    { workspace: folder, root: dirname(folder) },
    `for (let n = 1; n <= ${changes}; n++) {
      const title = n === ${changes} ? 'busy' : 'change ' + n;
      ${rename}
      Bun.sleepSync(${changeMilliseconds});
    }`,
  );
  await isShown(page, 'busy');
  const [ofHost = NaN, ofReader = NaN] = used().map((now, index) => (now - (before[index] ?? NaN)) / changes);
  yield {
    name: 'processor time for each of many changes',
    unit: 'ms',
    values: { extensionHost: ofHost, reader: ofReader },
    goal: 'none',
    isMet: true,
  };
}
