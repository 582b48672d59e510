/** Shorter ones are placeholders of servers that want none, and could stand in an answer by chance. */
const shortestKey = 16;

const nothing: Buffer = Buffer.alloc(0);

/** What an answer goes through on its way, piece by piece. */
export interface KeyFilter {
  /** @returns what of a piece, and of what waited for it, may go on; undefined when the key is in it: nothing after that may */
  readonly pass: (piece: Buffer) => Buffer | undefined;
  /** @returns what still waits when the answer is over */
  readonly rest: () => Buffer;
}

/**
 * Lets an answer through until the key is in it: some servers repeat a request in it, above all in errors. What may be
 * the beginning of the key waits for what follows, because whoever has all but one letter of it has it. This is for
 * servers that do so without thinking. One that wants to give away the key it was sent can always do it, for example in
 * Base64. No stream of its own: that took as long as all else that the gateway does with a piece (measured); the search
 * takes 2 ms for each MB at most.
 */
export function keyFilter(key: string | undefined): KeyFilter {
  if (!isLookedFor(key)) return { pass: (piece) => piece, rest: () => nothing };
  const wanted = Buffer.from(key);
  let held = nothing;
  return {
    pass(piece) {
      const text = held.length === 0 ? piece : Buffer.concat([held, piece]);
      if (text.includes(wanted)) return undefined;
      const end = text.length - begunAtEnd(text, wanted);
      held = text.subarray(end);
      return text.subarray(0, end);
    },
    rest: () => held,
  };
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
