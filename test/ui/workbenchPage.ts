import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { projectFile } from '../support/projectFile';
import { waitUntil } from '../support/waitUntil';

const screenshotFolder = projectFile('out/screenshots');

/** The first paint of a workbench, a container and opencode all take their time on a busy machine. */
const patienceMilliseconds = 60_000;

/** The page as the user meets it. */
export class WorkbenchPage {
  private screenshots = 0;

  /** @param name of the screenshots */
  constructor(
    private readonly page: Page,
    private readonly name: string,
  ) {}

  /** Waits until the workbench has been drawn. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: patienceMilliseconds });
  }

  /** Runs a command from the palette, by the title that a user sees. */
  async runCommand(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor();
    await input.fill(`>${title}`);
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: title }).first();
    await row.waitFor({ timeout: patienceMilliseconds });
    await this.screenshot('palette');
    await row.click();
  }

  /** Waits until the extension's item in the status bar says `text`. */
  async statusSays(text: RegExp): Promise<void> {
    const item = this.page.locator('.statusbar-item').filter({ hasText: text });
    await item.waitFor({ timeout: patienceMilliseconds }).catch(async () => {
      const all = await this.page.locator('.statusbar-item').allInnerTexts();
      throw new Error(`the status bar does not say ${text}, but: ${all.join(' | ')}`);
    });
  }

  /** Waits for a notification that says `text`. */
  async notificationSays(text: RegExp): Promise<void> {
    const notification = this.page.locator('.notification-list-item-message').filter({ hasText: text });
    await notification.waitFor({ timeout: patienceMilliseconds });
  }

  /** What the terminal in front shows. */
  async terminalText(): Promise<string> {
    const rows = this.page.locator('.terminal-wrapper.active .xterm-rows > div');
    return (await rows.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
  }

  /** Waits until the terminal in front shows `text`. */
  async terminalShows(text: RegExp): Promise<void> {
    let shown = '';
    await waitUntil(
      `the terminal shows ${text}`,
      async () => {
        shown = await this.terminalText();
        return text.test(shown);
      },
      patienceMilliseconds,
      () => shown,
    );
  }

  /** Types into the terminal in front, as a keyboard does. */
  async typeIntoTerminal(text: string): Promise<void> {
    await this.page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
    for (const key of text) {
      await this.page.keyboard.press(keyName(key));
    }
  }

  /** Reloads the window, as the command of that name does. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Closes a terminal in the panel by the button in the list of terminals. */
  async closeTerminal(name: string): Promise<void> {
    const row = this.page.locator('.part.panel .tabs-list .monaco-list-row').filter({ hasText: name });
    await row.hover();
    await row.locator('a.codicon-trashcan').click();
  }

  /** Closes an editor tab by its X. */
  async closeTab(title: string): Promise<void> {
    const tab = this.page.locator('.tabs-container .tab').filter({ hasText: title });
    await tab.hover();
    await tab.locator('a.codicon-close-small').click();
  }

  /** Saves a picture to `out/screenshots/`. */
  async screenshot(step: string): Promise<void> {
    mkdirSync(screenshotFolder, { recursive: true });
    this.screenshots += 1;
    const number = String(this.screenshots).padStart(2, '0');
    const file = `${this.name} ${number} ${step}.png`.replaceAll(' ', '-');
    // what moves is shown where it comes to rest
    await this.page.screenshot({ path: join(screenshotFolder, file), animations: 'disabled' });
  }
}

function keyName(key: string): string {
  switch (key) {
    case '\r':
      return 'Enter';
    case '\x7f':
      return 'Backspace';
    case ' ':
      return 'Space';
    default:
      return key;
  }
}
