import type { Locator } from 'playwright-core';
import { waitUntil } from '../support/waitUntil';

/** The first paint of a workbench, a container and opencode all take their time on a busy machine. */
export const patienceMilliseconds = 60_000;

/** All that is shown there, with ordinary spaces. */
export async function textOf(place: Locator): Promise<string> {
  return (await place.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
}

/** Waits until what `read` returns says `text`. @param what for the error */
export async function waitForText(what: string, text: RegExp, read: () => Promise<string>): Promise<void> {
  let shown = '';
  await waitUntil(
    `${what} says ${text}`,
    async () => {
      shown = await read();
      return text.test(shown);
    },
    patienceMilliseconds,
    () => shown,
  );
}
