/** A header as node:http reads it, of which the name counts in lower case. */
export type Header = readonly [lowerCase: string, name: string, value: string];

/** RFC 9110 7.6.1 and 11.7, and what older clients use: about one connection, or between client and proxy. */
const hopByHop = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['http2-settings', 'proxy-authorization', 'proxy-authenticate', 'proxy-authentication-info'],
];

/** A gateway writes these itself, or answers them. */
export const ownHeaders: ReadonlySet<string> = new Set(['host', 'content-length', 'expect']);

/** @param rawHeaders names and values in turn */
export function headerPairs(rawHeaders: readonly string[]): Header[] {
  return rawHeaders.flatMap((name, index): Header[] =>
    index % 2 === 0 ? [[name.toLowerCase(), name, rawHeaders[index + 1] ?? '']] : [],
  );
}

/** Names and values in turn, as they were written. */
export function rawHeadersOf(headers: readonly Header[]): string[] {
  return headers.flatMap(([, name, value]) => [name, value]);
}

/**
 * For requests with a secret of ours: what answers them is looked at on its way (`keyEcho.ts`), and what is compressed
 * can't be read without being held up.
 */
export function uncompressed([name, asWritten, value]: Header): Header {
  return [name, asWritten, name === 'accept-encoding' ? 'identity' : value];
}

/**
 * Whether an answer may be passed on with this status (RFC 9110 15): Node reads any three digits, writes none below 100,
 * and what is below 200 is no final answer.
 */
export function isFinalStatus(status: number | undefined): status is number {
  return status !== undefined && status >= 200 && status <= 599;
}

/** Those that are not for one connection alone, as the usual ones are and those that `Connection` lists. */
export function endToEnd(headers: readonly Header[]): Header[] {
  const listed = headers
    .filter(([name]) => name === 'connection')
    .flatMap(([, , value]) => value.split(',').map((option) => option.trim().toLowerCase()));
  // who lists the length would take away what says how long the body is
  const dropped = new Set([...hopByHop, ...listed.filter((name) => !ownHeaders.has(name))]);
  return headers.filter(([name]) => !dropped.has(name));
}
