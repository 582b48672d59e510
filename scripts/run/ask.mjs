import { createInterface } from 'node:readline/promises';

/**
 * Asks a question on the terminal; Enter means yes, Ctrl+C and Ctrl+D mean no.
 * @param {string} question
 * @returns {Promise<boolean | undefined>} undefined when there is nobody to ask
 */
export async function ask(question) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    return undefined;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise((resolve) => {
    terminal.once('close', () => resolve('no'));
    void terminal.question(`${question} [Y/n] `).then(resolve, () => resolve('no'));
  });
  terminal.close();
  return /^(y|yes|)$/i.test(answer.trim());
}
