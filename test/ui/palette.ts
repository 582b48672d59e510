import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/waitUntil';

/** How long a list may take to show what fits the text. */
const rowPatienceMilliseconds = 8000;

/** How long a box may take to react to a key. */
const keyPatienceMilliseconds = 5000;

/** More rows than a list shows at once. */
const mostMoves = 30;

/** The list of commands and files at the top of the window. */
export class Palette {
  /** @param onOffered called when what is going to be chosen is in sight */
  constructor(
    private readonly page: Page,
    private readonly onOffered: () => Promise<void>,
  ) {}

  /**
   * Chooses with the keyboard the first row with `label` that VS Code offers for `text`: under a pointer the rows move
   * while the list comes in. What takes the keyboard (an editor that has come, a terminal that goes) closes the list,
   * of which the rows stay in the page, unseen: then all is done again.
   */
  async choose(text: string, label: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input').first();
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: label }).first();
    await waitUntil(`"${label}" is chosen`, async () => {
      await this.page.keyboard.press('F1');
      const isOffered =
        (await happens(input.fill(text, { timeout: keyPatienceMilliseconds }))) &&
        (await happens(row.waitFor({ timeout: rowPatienceMilliseconds })));
      if (!isOffered) return false;
      await this.onOffered();
      return (await isInFront(input, row)) && (await happens(input.press('Enter')));
    });
  }
}

/** Brings the row of a list to the front with the keyboard. @returns whether the list is still open then */
async function isInFront(input: Locator, row: Locator): Promise<boolean> {
  for (let moves = 0; moves < mostMoves; moves += 1) {
    const state = await row.getAttribute('class', { timeout: keyPatienceMilliseconds }).catch(() => '');
    if (!(await input.isVisible())) return false;
    if (/\bfocused\b/.test(state ?? '')) return true;
    await input.press('ArrowDown');
  }
  return false;
}

async function happens(wait: Promise<unknown>): Promise<boolean> {
  return wait.then(
    () => true,
    () => false,
  );
}
