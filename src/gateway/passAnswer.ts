import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { keyFilter } from './keyEcho';

/**
 * Passes the body of an answer on, piece by piece and no faster than it is read. Resolves when all of it was given to
 * the client. What breaks on one side is broken off on the other.
 * @param key what must not be in it, if there is one
 * @param onEcho called when it is; the answer is broken off before it
 * @throws what broke
 */
export async function passAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  key: string | undefined,
  onEcho?: () => void,
): Promise<void> {
  const filter = keyFilter(key);
  const breakOff = (): void => {
    answer.destroy();
    response.destroy();
  };
  const echoed = (): void => {
    // at once: the next piece may come in the same moment
    breakOff();
    onEcho?.();
  };
  answer.on('data', (piece: Buffer) => {
    const text = filter.pass(piece);
    if (text === undefined) echoed();
    else if (text.length > 0 && !response.write(text)) answer.pause();
  });
  response.on('drain', () => answer.resume());
  answer.once('end', () => {
    const rest = filter.rest();
    if (rest === undefined) echoed();
    else response.end(rest);
  });
  try {
    await Promise.all([finished(answer), finished(response)]);
  } catch (error) {
    breakOff();
    throw error;
  }
}
