import { createHash, timingSafeEqual } from 'node:crypto';

/** The three headers in which clients of models send a key. */
const tokenHeaders = new Set(['authorization', 'x-api-key', 'api-key']);

/** RFC 9110, 11.1: the name of the scheme is written in any case. */
const bearer = /^bearer +([^ ]+)$/i;

/**
 * Whether a request shows the token of the sandbox: in exactly one header of the three, once. The comparison takes the
 * same time for every wrong token, of whatever length.
 * @param rawHeaders names and values in turn, as node:http has them: `headers` leaves repetitions out
 */
export function showsToken(rawHeaders: readonly string[], token: string): boolean {
  const shown = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && tokenHeaders.has(name.toLowerCase()) ? [index] : [],
  );
  const [at] = shown;
  if (at === undefined || shown.length > 1) return false;
  const value = rawHeaders[at + 1] ?? '';
  const isBearer = rawHeaders[at]?.toLowerCase() === 'authorization';
  const presented = isBearer ? bearer.exec(value)?.[1] : value;
  return presented !== undefined && timingSafeEqual(digest(presented), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
