import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/waitUntil';
import { patienceMilliseconds, textOf } from './patience';

/** What a click sets going has happened by then, on a busy computer, too; else the click was lost. */
const lostClickMilliseconds = 10_000;

/** A menu closes at once when something in it was chosen; on a busy computer, too, it has done so by then. */
const menuCloseMilliseconds = 1000;

/** The rows of the trees in the side bar, with their buttons and menus. */
export class TreeRows {
  constructor(private readonly page: Page) {}

  /** Clicks the button `action` of the row that says `text`; it is shown while the mouse is over the row. */
  async clickButton(text: string, action: string): Promise<void> {
    await this.row(text).hover();
    await this.row(text).locator(`a[aria-label^="${action}"]`).click();
  }

  /** As {@link clickButton}, again where a row was drawn anew under the button, so that the click was lost. */
  async clickButtonUntil(
    text: string,
    action: string,
    isDone: () => boolean | Promise<boolean>,
  ): Promise<void> {
    await waitUntil(`${action} of ${text} is done`, async () => {
      if (await isDone()) return true;
      await this.clickButton(text, action).catch(() => undefined);
      return waitUntil('it is done', isDone, lostClickMilliseconds).catch(() => false);
    });
  }

  /** Chooses `action` in the menu that a right click on the row shows. */
  async chooseInMenu(text: string, action: string): Promise<void> {
    await this.openMenu(text);
    const item = this.menu.locator('.action-item').filter({ hasText: action });
    // a menu takes the first click for the end of the one that opened it when it comes within a tenth of a second
    await waitUntil(`${action} is chosen`, async () => {
      await item.click({ timeout: lostClickMilliseconds }).catch(() => undefined);
      return await this.menu.waitFor({ state: 'hidden', timeout: menuCloseMilliseconds }).then(
        () => true,
        () => false,
      );
    });
  }

  /** The actions of the menu that a right click on the row shows. Closes it again. */
  async menuOf(text: string): Promise<string[]> {
    await this.openMenu(text);
    const actions = await this.menu.locator('.action-label:not(.separator)').allInnerTexts();
    await this.closeMenu();
    return actions.map((action) => action.trim()).filter(Boolean);
  }

  private get menu(): Locator {
    return this.page.locator('.monaco-menu-container');
  }

  private async openMenu(text: string): Promise<void> {
    await this.row(text).click({ button: 'right' });
    await this.menu.locator('.action-label:not(.separator)').first().waitFor();
  }

  /** A menu that has just come may not have the keyboard yet. */
  private async closeMenu(): Promise<void> {
    await waitUntil('the menu is closed', async () => {
      await this.page.keyboard.press('Escape');
      return !(await this.menu.isVisible());
    });
  }

  /** What the selected row says; empty when none is selected. */
  async selected(): Promise<string> {
    return await textOf(this.page.locator('.part.sidebar .monaco-list-row.selected'));
  }

  /** Waits until no row says `text`. */
  async isGone(text: string): Promise<void> {
    await this.row(text).first().waitFor({ state: 'detached', timeout: patienceMilliseconds });
  }

  /** Whether no row says `text` now. */
  async areGone(text: string): Promise<boolean> {
    return (await this.row(text).count()) === 0;
  }

  private row(text: string): Locator {
    return this.page.locator('.part.sidebar .monaco-list-row').filter({ hasText: text });
  }
}
