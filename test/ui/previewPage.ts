import type { Page } from 'playwright-core';
import { textOf, waitForText } from './patience';

/** VS Code's preview of a Markdown document in front: a web page inside VS Code's. */
export class PreviewPage {
  constructor(private readonly page: Page) {}

  /** Waits until the preview says `text`. */
  async says(text: RegExp): Promise<void> {
    const frame = this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
    await waitForText('the preview', text, () => textOf(frame.locator('.markdown-body')));
  }
}
