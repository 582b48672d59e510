/** Shorter ones are placeholders of servers that want none, and could stand in an answer by chance. */
const shortestKey = 16;

/** So much of an answer that is no error is looked at: who repeats a request does so at the beginning. */
const lookedAt = 64 * 1024;

/**
 * Looks for the key in an answer: some servers repeat a request in it, above all in errors. This is for servers that
 * do so without thinking. One that wants to give away the key it was sent can always do it, for example in Base64.
 * @param isError all of the answer is looked at
 * @returns for each piece in turn, whether the key is in it, or ends in it
 */
export function keyEcho(key: string | undefined, isError: boolean): (chunk: Buffer) => boolean {
  if (key === undefined || key.length < shortestKey) return () => false;
  let end = Buffer.alloc(0);
  let looked = 0;
  return (chunk) => {
    if (!isError && looked >= lookedAt) return false;
    looked += chunk.length;
    const text = Buffer.concat([end, chunk]);
    end = text.subarray(Math.max(0, text.length - key.length + 1));
    return text.includes(key);
  };
}

/** Headers without those whose value has the key in it. Names and values in turn, as node:http has them. */
export function withoutKey(rawHeaders: readonly string[], key: string | undefined): string[] {
  if (key === undefined || key.length < shortestKey) return [...rawHeaders];
  return rawHeaders.filter((_, index) => !(rawHeaders[index - (index % 2) + 1] ?? '').includes(key));
}
