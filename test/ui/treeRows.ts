import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/waitUntil';
import { patienceMilliseconds, textOf } from './patience';

/** The rows of the trees in the side bar, and their menus. */
export class TreeRows {
  constructor(private readonly page: Page) {}

  /** Chooses `action` in the menu that a right click on the row shows. */
  async chooseInMenu(text: string, action: string): Promise<void> {
    await this.openMenu(text);
    const item = this.menu.locator('.action-item').filter({ hasText: action });
    // a menu that has just come takes the release of the button that opened it
    await item.hover();
    await item.click();
    await this.menu.waitFor({ state: 'hidden' });
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

  private row(text: string): Locator {
    return this.page.locator('.part.sidebar .monaco-list-row').filter({ hasText: text });
  }
}
