import type { Page } from 'playwright-core';
import { textOf, waitForText } from './patience';

/** VS Code's preview of a Markdown document in front: a web page inside VS Code's. */
export class PreviewPage {
  constructor(private readonly page: Page) {}

  /** Waits until the preview says `text`. */
  async says(text: RegExp): Promise<void> {
    const frame = this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
    // the page of another document takes the place of this one
    const read = (): Promise<string> => textOf(frame.locator('.markdown-body')).catch(() => '');
    await waitForText('the preview', text, read);
  }
}
