import type { FrameLocator, Page } from 'playwright-core';
import { textOf, waitForText } from './patience';

/** The isolation report, or the check of the setup: a web page inside VS Code's. */
export class ReportPage {
  constructor(private readonly page: Page) {}

  /** Waits until the report says `text`. */
  async says(text: RegExp): Promise<void> {
    await waitForText('the report', text, () => this.text());
  }

  /** Brings an element that holds `text` into sight. */
  async scrollTo(text: string): Promise<void> {
    await this.frame().getByText(text, { exact: true }).scrollIntoViewIfNeeded();
  }

  /** All that it says now; cells of a row are tabs apart. */
  async text(): Promise<string> {
    return await textOf(this.frame().locator('main'));
  }

  /** How many elements there are that a click could do something with, or that load something. */
  async activeElements(): Promise<number> {
    return await this.frame().locator('main').locator('a, button, img, iframe, form, input, script').count();
  }

  /** Presses the button that says `label`. */
  async press(label: string): Promise<void> {
    await this.frame().getByRole('button', { name: label, exact: true }).click();
  }

  /** The titles of the first table, as a screen reader knows them. */
  async columnTitles(): Promise<string[]> {
    return await this.frame().getByRole('table').first().getByRole('columnheader').allInnerTexts();
  }

  /** Marks an element that holds `text`; {@link isMarked} tells whether it is still the same one. */
  async mark(text: string): Promise<void> {
    await this.frame()
      .getByText(text, { exact: true })
      .evaluate((element: { id: string }) => {
        element.id = 'marked';
      });
  }

  async isMarked(): Promise<boolean> {
    return (await this.frame().locator('#marked').count()) === 1;
  }

  private frame(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }
}
