import { Transform } from 'node:stream';

/** Shorter ones are placeholders of servers that want none, and could stand in an answer by chance. */
const shortestKey = 16;

/** So much of an answer that is no error is looked at: who repeats a request does so at the beginning. */
const lookedAt = 64 * 1024;

/**
 * Lets an answer through until the key is in it: some servers repeat a request in it, above all in errors. What may be
 * the beginning of the key waits for what follows, because whoever has all but one letter of it has it. This is for
 * servers that do so without thinking. One that wants to give away the key it was sent can always do it, for example in
 * Base64.
 * @param isError all of the answer is looked at
 * @param onEcho called when the key is in it; the stream fails then
 * @returns what an answer goes through on its way: nothing when there is no key to look for
 */
export function keyFilters(key: string | undefined, isError: boolean, onEcho: () => void): Transform[] {
  return isLookedFor(key) ? [keyFilter(Buffer.from(key), isError, onEcho)] : [];
}

function keyFilter(wanted: Buffer, isError: boolean, onEcho: () => void): Transform {
  let held: Buffer = Buffer.alloc(0);
  let looked = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const isLookedAt = isError || looked < lookedAt;
      looked += chunk.length;
      if (isLookedAt && text.includes(wanted)) {
        onEcho();
        done(new Error('the key is in the answer'));
        return;
      }
      const end = text.length - (isLookedAt ? begunAtEnd(text, wanted) : 0);
      held = text.subarray(end);
      done(null, text.subarray(0, end));
    },
    flush: (done) => done(null, held),
  });
}

function isLookedFor(key: string | undefined): key is string {
  return key !== undefined && key.length >= shortestKey;
}

/** How many bytes at the end of a text are the beginning of what is wanted. */
function begunAtEnd(text: Buffer, wanted: Buffer): number {
  for (let length = Math.min(text.length, wanted.length - 1); length > 0; length -= 1) {
    if (text.subarray(text.length - length).equals(wanted.subarray(0, length))) return length;
  }
  return 0;
}

/** Headers without those whose value has the key in it. Names and values in turn, as node:http has them. */
export function withoutKey(rawHeaders: readonly string[], key: string | undefined): string[] {
  if (!isLookedFor(key)) return [...rawHeaders];
  return rawHeaders.filter((_, index) => !(rawHeaders[index - (index % 2) + 1] ?? '').includes(key));
}
