import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { projectFile } from '../support/projectFile';
import { waitUntil } from '../support/waitUntil';
import { patienceMilliseconds, textOf, waitForText } from './patience';
import { Palette } from './palette';
import { Questions, quickInput } from './questions';
import { ReportPage } from './reportPage';
import { TreeRows } from './treeRows';

const screenshotFolder = projectFile('out/screenshots');

/** How long a box may take to react to a key. */
const keyPatienceMilliseconds = 5000;

/** The page as the user meets it. */
export class WorkbenchPage {
  readonly report: ReportPage;
  readonly rows: TreeRows;
  readonly questions: Questions;
  private readonly palette: Palette;
  private screenshots = 0;

  /**
   * @param page for what has no name here
   * @param name of the screenshots
   */
  constructor(
    readonly page: Page,
    private readonly name: string,
  ) {
    this.report = new ReportPage(page);
    this.rows = new TreeRows(page);
    this.questions = new Questions(page);
    this.palette = new Palette(page, () => this.screenshot('palette'));
  }

  /** Waits until the workbench has been drawn. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: patienceMilliseconds });
  }

  /** Runs a command from the palette, by the title that a user sees. */
  async runCommand(title: string): Promise<void> {
    await this.palette.choose(`>${title}`, title);
  }

  /** Opens a file of the folder in an editor. */
  async openFile(name: string): Promise<void> {
    await this.palette.choose(name, name);
    await this.tabIsOpen(name);
  }

  /** Waits until the extension's item in the status bar says `text`. */
  async statusSays(text: RegExp): Promise<void> {
    const item = this.page.locator('.statusbar-item').filter({ hasText: text });
    await item.waitFor({ timeout: patienceMilliseconds }).catch(async () => {
      const all = await this.page.locator('.statusbar-item').allInnerTexts();
      throw new Error(`the status bar does not say ${text}, but: ${all.join(' | ')}`);
    });
  }

  /** Clicks the extension's item in the status bar, once it says `text`. */
  async clickStatus(text: RegExp): Promise<void> {
    await this.page.locator('.statusbar-item').filter({ hasText: text }).locator('a').first().click();
  }

  /** All that the status bar says. */
  async statusText(): Promise<string> {
    return await textOf(this.page.locator('.part.statusbar'));
  }

  /** Saves two pictures of the extension's item in the status bar: as it is, and explaining itself. */
  async pictureStatus(step: string): Promise<void> {
    await this.screenshot(step);
    // a pointer on the item takes its colour away
    await this.page
      .locator('.statusbar-item')
      .filter({ hasText: /Agent: / })
      .hover();
    await this.page.locator('.workbench-hover').filter({ hasText: /./ }).first().waitFor();
    await this.screenshot(`${step}, explained`);
    await this.page.mouse.move(0, 0);
  }

  /** What the status item explains of itself; {@link pictureStatus} comes first. */
  async statusTooltip(): Promise<string> {
    const item = this.page.locator('.statusbar-item').filter({ hasText: /Agent: / });
    await item.hover();
    const hover = this.page.locator('.workbench-hover').filter({ hasText: /./ }).first();
    await hover.waitFor();
    return hover.innerText();
  }

  /** Waits for a notification that says `text`. */
  async notificationSays(text: RegExp): Promise<void> {
    const notification = this.page.locator('.notification-list-item-message').filter({ hasText: text });
    await notification.waitFor({ timeout: patienceMilliseconds });
  }

  /** How many of the notifications that are shown say `text`. */
  async countNotifications(text: RegExp): Promise<number> {
    return await this.page.locator('.notification-list-item').filter({ hasText: text }).count();
  }

  /** Waits until no notification says `text`. */
  async notificationIsGone(text: RegExp): Promise<void> {
    const notification = this.page.locator('.notification-list-item').filter({ hasText: text });
    await notification.waitFor({ state: 'detached' });
  }

  /** Closes all notifications, as the command of that name does. */
  async clearNotifications(): Promise<void> {
    await this.runCommand('Notifications: Clear All Notifications');
    await waitUntil('no notification is left', async () => (await this.countNotifications(/./)) === 0);
  }

  /** Clicks a button of the notification that says `text`. */
  async answerNotification(text: RegExp, button: string): Promise<void> {
    const notification = this.page.locator('.notification-list-item').filter({ hasText: text });
    await notification.locator('.monaco-button').filter({ hasText: button }).click();
  }

  /**
   * Types into the input box with this title at the top of the window, and confirms it.
   * @param proposed what it holds by itself once it is ready
   */
  async answerInputBox(title: string, text: string, proposed = /^$/): Promise<void> {
    const box = quickInput(this.page, title);
    await box.waitFor();
    const input = box.locator('.quick-input-box input');
    await input.waitFor();
    await waitUntil(`the box "${title}" is ready`, async () => proposed.test(await input.inputValue()));
    await input.fill(text);
    // a box that lists files while it is typed into does not hear a key that comes too early
    await waitUntil(`the box "${title}" is answered`, async () => {
      await input.press('Enter', { timeout: keyPatienceMilliseconds }).catch(() => undefined);
      return await Promise.race([
        input.waitFor({ state: 'hidden', timeout: keyPatienceMilliseconds }).then(
          () => true,
          () => false,
        ),
        // the next box has the same title
        isOtherText(input, text),
      ]);
    });
  }

  /** Chooses the first of what a list with this title at the top of the window offers. */
  async chooseFirst(title: string): Promise<void> {
    const box = quickInput(this.page, title);
    await box.waitFor({ timeout: patienceMilliseconds });
    await box.locator('.quick-input-list .monaco-list-row').first().click();
  }

  /** Closes the list at the top of the window without choosing. */
  async closeList(): Promise<void> {
    await this.page.keyboard.press('Escape');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** Waits until the list with this title at the top of the window says `text`. */
  async listSays(title: string, text: RegExp): Promise<void> {
    const box = this.page.locator('.quick-input-widget').filter({ hasText: title });
    await waitForText('the list', text, () => textOf(box.locator('.monaco-list-row')));
  }

  /** Opens the extension's view by its icon in the activity bar, unless it is open: the icon would close it. */
  async openView(title: string): Promise<void> {
    const isOpen = this.page.locator('.part.sidebar .title-label').filter({ hasText: title, visible: true });
    if ((await isOpen.count()) === 0) {
      // a number on it lies over it, and is in its label, too
      const icon = this.page.locator(`a[aria-label^="${title}"]`);
      await this.page.locator('.activitybar .action-item').filter({ has: icon }).click();
    }
  }

  /** Waits until the number on an icon in the activity bar says `text` to who points at it. */
  async badgeSays(text: RegExp): Promise<void> {
    const badges = this.page.locator('.activitybar .badge').filter({ hasText: /\d/, visible: true });
    await waitUntil(`a badge says ${text}`, async () => {
      const labels = (await badges.all()).map((badge) => badge.getAttribute('aria-label'));
      return (await Promise.all(labels)).some((label) => text.test(label ?? ''));
    });
  }

  /** Waits until the side bar says `text`. */
  async sideBarSays(text: RegExp): Promise<void> {
    await waitForText('the side bar', text, () => textOf(this.page.locator('.part.sidebar')));
  }

  /** Waits until the editor in front says `text`. */
  async editorSays(text: RegExp): Promise<void> {
    await waitForText('the editor', text, () => textOf(this.page.locator('.part.editor .view-lines')));
  }

  /** Waits until the titles in an editor that shows several changes say `text`. */
  async changesAreCalled(text: RegExp): Promise<void> {
    const titles = this.page.locator('.part.editor .multiDiffEntry .file-path');
    await waitForText('the titles', text, async () => (await titles.allInnerTexts()).join('\n'));
  }

  /** Clicks on the row of a tree that says `text`. */
  async selectRow(text: string): Promise<void> {
    await this.page.locator('.part.sidebar .monaco-list-row').filter({ hasText: text }).first().click();
  }

  /** Whether what is typed goes to the terminal in front. */
  async terminalHasFocus(): Promise<boolean> {
    const focused = this.page.locator('.terminal-wrapper.active .xterm-helper-textarea:focus');
    return (await focused.count()) === 1;
  }

  /** What the terminal in front shows. */
  async terminalText(): Promise<string> {
    return await textOf(this.page.locator('.terminal-wrapper.active .xterm-rows > div'));
  }

  /** Waits until the terminal in front shows `text`. */
  async terminalShows(text: RegExp): Promise<void> {
    await waitForText('the terminal', text, () => this.terminalText());
  }

  /** The name of the terminal in front, as the list of terminals has it. */
  async terminalName(): Promise<string> {
    return (await textOf(this.page.locator('.part.panel .tabs-list .terminal-tabs-entry.is-active'))).trim();
  }

  /** How many terminals the panel has. */
  terminalCount(): Promise<number> {
    return this.page.locator('.part.panel .tabs-list .monaco-list-row').count();
  }

  /** Types into the terminal in front, as a keyboard does. */
  async typeIntoTerminal(text: string): Promise<void> {
    await this.page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
    for (const key of text) {
      await this.page.keyboard.press(keyName(key));
    }
  }

  /** Clicks on `text` in the terminal in front, which must be in one colour. */
  async clickInTerminal(text: string): Promise<void> {
    const span = this.page
      .locator('.terminal-wrapper.active .xterm-rows > div span')
      .filter({ hasText: text })
      .first();
    const box = await span.boundingBox();
    if (box === null) {
      throw new Error(`the terminal does not show ${text}`);
    }
    await this.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }

  /** Reloads the window, as the command of that name does. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /**
   * Closes a terminal in the panel by the button in the list of terminals. The button is there while the pointer is
   * over the row, and a row that is drawn anew under the pointer has none until it moves again.
   */
  async closeTerminal(name: string): Promise<void> {
    const row = this.page.locator('.part.panel .tabs-list .monaco-list-row').filter({ hasText: name });
    await waitUntil(`the button of ${name} is clicked`, async () => {
      await this.page.mouse.move(0, 0);
      await row.hover();
      const click = row.locator('a.codicon-trashcan').click({ timeout: keyPatienceMilliseconds });
      return click.then(
        () => true,
        () => false,
      );
    });
  }

  /** Waits until there is an editor tab with this title. */
  async tabIsOpen(title: string): Promise<void> {
    await this.page.locator('.tabs-container .tab.active').filter({ hasText: title }).waitFor();
  }

  /** The title of the editor tab in front. */
  async activeTab(): Promise<string> {
    return await textOf(this.page.locator('.part.editor .tabs-container .tab.active .tab-label'));
  }

  /** How many editor tabs have this title. */
  async countTabs(title: string): Promise<number> {
    return await this.page.locator('.tabs-container .tab').filter({ hasText: title }).count();
  }

  /** Waits until the settings editor says `text`. */
  async settingsSay(text: RegExp): Promise<void> {
    await waitForText('the settings', text, () => textOf(this.page.locator('.settings-editor')));
  }

  /** The text on the clipboard. */
  async clipboard(): Promise<string> {
    await this.page.context().grantPermissions(['clipboard-read']);
    return await this.page.evaluate('navigator.clipboard.readText()');
  }

  /** Clicks a button at the right of the editor tabs. */
  async clickEditorAction(title: string): Promise<void> {
    await this.page.locator(`.part.editor .editor-actions a[aria-label^="${title}"]`).click();
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

/** Resolves when an input box holds another text, and never when that does not happen in time. */
async function isOtherText(input: Locator, text: string): Promise<true> {
  const isOther = async (): Promise<boolean> => {
    const value = await input.inputValue({ timeout: keyPatienceMilliseconds }).catch(() => text);
    return value !== text;
  };
  return await waitUntil('another box came', isOther, keyPatienceMilliseconds).then(
    () => true,
    () => new Promise<never>(() => undefined),
  );
}

function keyName(key: string): string {
  switch (key) {
    case '\r':
      return 'Enter';
    case '\x7f':
      return 'Backspace';
    case ' ':
      return 'Space';
    case '\x03':
      return 'Control+c';
    default:
      return key;
  }
}
