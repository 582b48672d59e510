import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { emptyPrompt } from '../support/opencodePrompt';
import { projectFile } from '../support/projectFile';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

const steps = ['setup', 'image', 'model', 'start', 'prove', 'memory'] as const;
type Step = (typeof steps)[number];
/** How long a list may take to show what fits the text. */
const rowPatienceMilliseconds = 5000;
const texts = JSON.parse(readFileSync(projectFile('package.nls.json'), 'utf8')) as Record<string, string>;

describe('the walkthrough', () => {
  const workbench = useWorkbench(() => ({ name: 'walkthrough', folderName: 'analysis' }));
  const view = (): Page => workbench().page.page;

  async function openWalkthrough(): Promise<void> {
    await workbench().page.runCommand('Welcome: Open Walkthrough');
    const list = view().locator('.quick-input-list .monaco-list-row');
    await list.filter({ hasText: 'Get Started with Sandboxed Agent' }).first().click();
  }

  async function doneSteps(): Promise<Step[]> {
    const done: Step[] = [];
    for (const step of steps) {
      if ((await view().locator(`.complete[data-done-step-id$="#gettingStarted#${step}"]`).count()) > 0) {
        done.push(step);
      }
    }
    return done;
  }

  async function waitForDone(...expected: readonly Step[]): Promise<void> {
    let done: Step[] = [];
    await waitUntil(
      `done: ${expected.join()}`,
      async () => {
        done = await doneSteps();
        return done.join() === expected.join();
      },
      60_000,
      () => `done: ${done.join()}`,
    );
  }

  it('shows as done what is there already, without a click', async () => {
    const { page } = workbench();
    // pictures are shown where there is room
    await view().setViewportSize({ width: 1700, height: 900 });
    await openWalkthrough();
    await waitForDone('setup', 'image');
    await page.screenshot('opened');
  });

  it('does not take a list that was only opened for a choice', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Configure Model…');
    await page.listSays('Configure Model', /A server on this computer/);
    await page.closeList();
    await waitForDone('setup', 'image');
  });

  for (const theme of ['Dark Modern', 'Light Modern', 'Dark High Contrast', 'Light High Contrast']) {
    it(`has pictures that can be seen with ${theme}, and that are told to who doesn’t see them`, async () => {
      const { page } = workbench();
      const input = view().locator('.quick-input-widget input').first();
      const row = view().locator('.quick-input-list .monaco-list-row').filter({ hasText: theme }).first();
      // the list of commands goes while that of themes comes, and may take that with it
      await waitUntil(`${theme} is offered`, async () => {
        if (!(await input.isVisible())) await page.runCommand('Preferences: Color Theme');
        await input.fill(theme, { timeout: rowPatienceMilliseconds }).catch(() => undefined);
        return row.waitFor({ timeout: rowPatienceMilliseconds }).then(
          () => true,
          () => false,
        );
      });
      await input.press('Enter');
      for (const step of steps) {
        await view().locator(`[data-step-id$="#gettingStarted#${step}"] .step-title`).click();
        const text = texts[`walkthrough.${step}.picture`] ?? '';
        const picture = await waitUntil(`the picture of ${step}`, () => pictureOf(text));
        assert.match(picture.drawn, /^rgb/);
        assert.notEqual(picture.drawn, picture.page);
        await page.screenshot(`${theme} ${step}`);
      }
    });
  }

  it('is done with the keyboard alone, too', async () => {
    const step = view().locator('[data-step-id$="#gettingStarted#prove"]');
    // it goes on from the step that is open
    await view().locator('[data-step-id$="#gettingStarted#memory"]').focus();
    await view().keyboard.press('ArrowUp');
    await waitUntil('the step before is open', async () =>
      /\bexpanded\b/.test((await step.getAttribute('class')) ?? ''),
    );
    const focused = (): Promise<string> => view().evaluate('document.activeElement?.textContent ?? ""');
    await waitUntil('its first button has the keyboard', async () => {
      await view().keyboard.press('Tab');
      return (await focused()) === 'Prove the Sandbox Holds';
    });
  });

  it('takes a model that was approved, a start and a memory, and a proof', async () => {
    const { page } = workbench();
    await page.runCommand('Start Sandboxed Agent');
    await page.chooseFirst('A model that you have not approved');
    await page.statusSays(/Agent: isolated$/);
    await page.terminalShows(emptyPrompt);
    await waitForDone('setup', 'image', 'model', 'start');
    const processes = await workbench().sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench().gone(processes);
    await waitForDone('setup', 'image', 'model', 'start', 'memory');
    await page.runCommand('Sandboxed Agent: Prove the Sandbox Holds');
    await page.tabIsOpen('Proof of the Sandbox');
    await openWalkthrough();
    await waitForDone(...steps);
    await page.screenshot('all done');
  });

  /** What the picture with this text is drawn with, and on; undefined while it is not there. */
  async function pictureOf(text: string): Promise<{ drawn: string; page: string } | undefined> {
    for (const frame of view().frames()) {
      // undefined in a page without a picture; fails in one that goes
      const found = (await frame.evaluate(readPicture).catch(() => undefined)) as Picture | undefined;
      if (found?.title === text) return found;
    }
    return undefined;
  }
});

interface Picture {
  readonly title: string;
  readonly drawn: string;
  readonly page: string;
}

/** Inside the page of a picture: its text, and two colours as the browser has them. */
const readPicture = `(() => {
  const picture = document.querySelector('svg[role="img"]');
  if (!picture) return undefined;
  const line = picture.querySelector('[stroke^="var(--vscode-foreground"]');
  const page = document.createElement('i');
  document.body.append(page);
  page.style.color = 'var(--vscode-editor-background)';
  const colours = { drawn: getComputedStyle(line).stroke, page: getComputedStyle(page).color };
  page.remove();
  return { title: picture.querySelector('title').textContent, ...colours };
})()`;
