import type { WorkbenchPage } from '../../ui/workbenchPage';

/**
 * Runs in the page, whose clock has no messages in between: notes when a key goes down, and when the terminal in front
 * shows a text after that.
 */
const watch = (text: string): string => `(() => {
  const rows = document.querySelector('.terminal-wrapper.active .xterm-rows');
  let pressed;
  addEventListener('keydown', () => { pressed ??= performance.now(); }, { capture: true, once: true });
  window.benchShown = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (pressed === undefined || !rows.textContent.includes(${JSON.stringify(text)})) return;
      observer.disconnect();
      resolve(performance.now() - pressed);
    });
    observer.observe(rows, { subtree: true, childList: true, characterData: true });
  });
})()`;

async function pressUntilShown({ page }: WorkbenchPage, key: string, text: string): Promise<number> {
  await page.evaluate(watch(text));
  await page.keyboard.press(key);
  return page.evaluate<number>('window.benchShown');
}

/** Types letters at an empty prompt. @returns how long each took to be shown */
export async function keyMilliseconds(page: WorkbenchPage, count: number): Promise<number[]> {
  const times: number[] = [];
  const mark = '#';
  await page.typeIntoTerminal(mark);
  let typed = mark;
  for (let index = 0; index < count; index++) {
    const key = 'qxzvjk'[index % 6] ?? '';
    typed += key;
    times.push(await pressUntilShown(page, key, typed));
  }
  await page.page.keyboard.press('Control+U');
  return times;
}

/** Prints so many MB of lines of 100 characters. @returns milliseconds from Enter until the line after them is shown */
export async function floodMilliseconds(
  page: WorkbenchPage,
  megabytes: number,
  round: number,
): Promise<number> {
  const line = 'seq -f %099.0f';
  await page.typeIntoTerminal(`${line} ${megabytes * 10_000}; echo do''ne-${round}`);
  return pressUntilShown(page, 'Enter', `done-${round}`);
}
