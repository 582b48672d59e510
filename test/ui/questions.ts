import type { Locator, Page } from 'playwright-core';
import { patienceMilliseconds } from './patience';

/** The list or input box at the top of the window, while it has this title. */
export function quickInput(page: Page, title: string): Locator {
  const exactly = new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  const named = page.locator('.quick-input-title').filter({ hasText: exactly, visible: true });
  return page.locator('.quick-input-widget').filter({ has: named });
}

/** The lists at the top of the window and the dialogs in its middle, by which the extension asks. */
export class Questions {
  constructor(private readonly page: Page) {}

  /** Chooses what says `text` in the list with this title. */
  async choose(title: string, text: string): Promise<void> {
    const box = await this.list(title);
    await box.locator('.monaco-list-row').filter({ hasText: text }).first().click();
  }

  /** Ticks what says one of the texts in the list with this title, and confirms it. */
  async tick(title: string, ...texts: readonly string[]): Promise<void> {
    const box = await this.list(title);
    for (const text of texts) {
      await box.locator('.monaco-list-row').filter({ hasText: text }).first().click();
    }
    await this.confirm(title);
  }

  /** Confirms the list with this title as it is ticked. */
  async confirm(title: string): Promise<void> {
    const box = await this.list(title);
    await box.locator('.quick-input-action .monaco-button').filter({ hasText: 'OK' }).click();
  }

  /** Clicks a button in the title of the list. */
  async clickButton(title: string, button: string): Promise<void> {
    const box = await this.list(title);
    await box.locator(`a[aria-label^="${button}"]`).click();
  }

  /** What the list with this title offers, a line each. */
  async offers(title: string): Promise<string[]> {
    const rows = (await this.list(title)).locator('.monaco-list-row');
    await rows.first().waitFor();
    return (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
  }

  /** Closes the list with this title without an answer. */
  async cancel(title: string): Promise<void> {
    const box = await this.list(title);
    await this.page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
  }

  /** Waits until the input box with this title says `text` below it. */
  async boxSays(title: string, text: string): Promise<void> {
    await quickInput(this.page, title).filter({ hasText: text }).waitFor({ timeout: patienceMilliseconds });
  }

  /** Waits for the dialog that says `text`. */
  async dialogSays(text: RegExp): Promise<void> {
    await this.dialog(text).waitFor({ timeout: patienceMilliseconds });
  }

  /** Clicks a button of the dialog that says `text`. */
  async answerDialog(text: RegExp, button: string): Promise<void> {
    await this.dialogSays(text);
    await this.dialog(text).locator('.monaco-button').filter({ hasText: button }).click();
    await this.dialog(text).waitFor({ state: 'detached' });
  }

  private dialog(text: RegExp): Locator {
    return this.page.locator('.monaco-dialog-box').filter({ hasText: text });
  }

  private async list(title: string): Promise<Locator> {
    const box = quickInput(this.page, title);
    await box.waitFor({ timeout: patienceMilliseconds });
    return box;
  }
}
