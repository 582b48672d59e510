import { waitUntil } from './waitUntil';

/** A screen that shows opencode, with its keyboard. */
export interface OpencodeScreen {
  text(): string | Promise<string>;
  type(text: string): void | Promise<void>;
}

/** What opencode's empty prompt says. */
export const emptyPrompt = /Ask anything/;

/** opencode loses what is typed in its first seconds (measured: up to 14 s on a busy machine). */
const typingPatienceMilliseconds = 2000;
const startPatienceMilliseconds = 120_000;

/**
 * Gives opencode a task: waits for its empty prompt, types until the text is there, and sends it.
 *
 * @param prompt one line, short enough for one line on the screen
 */
export async function giveTask(screen: OpencodeScreen, prompt: string): Promise<void> {
  const shows = async (expected: RegExp | string) => {
    const text = await screen.text();
    return typeof expected === 'string' ? text.includes(expected) : expected.test(text);
  };
  await waitUntil(
    'opencode shows its prompt',
    () => shows(emptyPrompt),
    startPatienceMilliseconds,
    () => '',
  );
  await waitUntil(
    'opencode takes what is typed',
    async () => {
      // of an attempt that came too early a part may be there
      await screen.type('\x7f'.repeat(prompt.length) + prompt);
      return await waitUntil('', () => shows(prompt), typingPatienceMilliseconds).catch(() => false as const);
    },
    startPatienceMilliseconds,
  );
  await screen.type('\r');
}
