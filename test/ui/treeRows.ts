import type { Locator, Page } from 'playwright-core';
import { patienceMilliseconds, textOf } from './patience';

/** The rows of the trees in the side bar, and their menus. */
export class TreeRows {
  constructor(private readonly page: Page) {}

  /** Chooses `action` in the menu that a right click on the row shows. */
  async chooseInMenu(text: string, action: string): Promise<void> {
    await this.row(text).click({ button: 'right' });
    const item = this.page.locator('.monaco-menu .action-item').filter({ hasText: action });
    await item.waitFor();
    // a menu that has just come takes the release of the button that opened it
    await item.hover();
    await item.click();
  }

  /** The actions of the menu that a right click on the row shows. Closes it again. */
  async menuOf(text: string): Promise<string[]> {
    await this.row(text).click({ button: 'right' });
    const labels = this.page.locator('.monaco-menu .action-label:not(.separator)');
    await labels.first().waitFor();
    const actions = await labels.allInnerTexts();
    await this.page.keyboard.press('Escape');
    return actions.map((action) => action.trim()).filter(Boolean);
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
