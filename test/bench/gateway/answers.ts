/** Of an answer that is all bulk. */
export const bulkBytes = 32 * 1024 * 1024;

/** Of one that is a piece after another, each sent by itself, as fast as they are read. */
export const quickEvents = 5_000;

/** Of an answer that comes in pieces, as fast as quick models write. */
export const streamEvents = 50;
export const streamPauseMilliseconds = 20;

/** A piece of such an answer. */
export function streamText(index: number): string {
  return `data: {"choices":[{"delta":{"content":"token ${index} "}}]}\n\n`;
}

/** All of one that comes slowly. */
export const wholeStream = Array.from({ length: streamEvents }, (_, index) => streamText(index)).join('');
