import { createInterface } from 'node:readline/promises';

/**
 * Asks a question on the terminal; Ctrl+C and Ctrl+D mean no.
 * @param {string} question
 * @param {boolean} byEnter what Enter means
 * @returns {Promise<boolean | undefined>} undefined when there is nobody to ask
 */
export async function ask(question, byEnter) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    return undefined;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise((resolve) => {
    terminal.once('close', () => resolve('no'));
    void terminal.question(`${question} ${byEnter ? '[Y/n]' : '[y/N]'} `).then(resolve, () => resolve('no'));
  });
  terminal.close();
  return answer.trim() === '' ? byEnter : /^(y|yes)$/i.test(answer.trim());
}
