/** Shorter ones are placeholders of servers that want none, and could stand in an answer by chance. */
const shortestKey = 16;

const nothing: Buffer = Buffer.alloc(0);

/** What an answer goes through on its way, piece by piece. */
export interface KeyFilter {
  /** @returns what of a piece, and of what waited for it, may go on; undefined when the key is in it: nothing after that may */
  readonly pass: (piece: Buffer) => Buffer | undefined;
  /** @returns what still waits when the answer is over; undefined when that is half of the key, or more */
  readonly rest: () => Buffer | undefined;
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
      const end = beginningAtEnd(text, wanted);
      held = text.subarray(end);
      return text.subarray(0, end);
    },
    rest: () => (held.length < wanted.length / 2 ? held : undefined),
  };
}

function isLookedFor(key: string | undefined): key is string {
  return key !== undefined && key.length >= shortestKey;
}

/** Where the end of a text is the beginning of what is wanted; its length when it is not. */
function beginningAtEnd(text: Buffer, wanted: Buffer): number {
  const [first = 0] = wanted;
  let start = text.indexOf(first, Math.max(0, text.length - wanted.length + 1));
  while (start >= 0 && text.compare(wanted, 0, text.length - start, start) !== 0) {
    start = text.indexOf(first, start + 1);
  }
  return start < 0 ? text.length : start;
}

/** Headers without those whose value has the key in it. Names and values in turn, as node:http has them. */
export function withoutKey(rawHeaders: readonly string[], key: string | undefined): string[] {
  if (!isLookedFor(key)) return [...rawHeaders];
  return rawHeaders.filter((_, index) => !(rawHeaders[index - (index % 2) + 1] ?? '').includes(key));
}
