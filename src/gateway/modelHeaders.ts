import type { SignedUpstream } from './gateway';

/** RFC 9110, 7.6.1, and what older clients use: they are about one connection, not about the request. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** We write these ourselves, or answer them. */
const ours = new Set(['host', 'expect', 'content-length']);

/** Words of a name that say that the value stands for somebody: `Cookie`, `X-Goog-Api-Key`, `X-Auth-Token` … */
const credentialWord =
  /(?:^|[-_])(?:auth|authorization|authenticate|authentication|cookie2?|credentials?|key|apikey|secret|password|token)(?:[-_]|$)/;

/** Ours is the only key; but this one names a request, so that it is not done twice. */
const harmless = new Set(['idempotency-key', 'x-idempotency-key']);

/** From where it came, or another method or path than was judged: some servers believe these. */
const misleading =
  /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|x-original-.*|x-rewrite-.*|x-http-method.*|x-method-override)$/;

/** What would let the sandbox go elsewhere, or come back as somebody: `Location` is never followed. */
const withheldAnswers = new Set([
  'location',
  'content-location',
  'refresh',
  'set-cookie',
  'set-cookie2',
  'alt-svc',
]);

/**
 * The headers for the model: those of the sandbox without any that could stand for a key, the host of the model, and
 * the real key.
 * @param rawHeaders names and values in turn; the result has the same form, for node:http
 * @param host for the header `Host`: with the port, when it is not the usual one
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  upstream: SignedUpstream,
  host: string,
): string[] {
  const dropped = connectionOptions(rawHeaders);
  const kept = pairs(rawHeaders).filter(
    ([name]) =>
      !dropped.has(name) &&
      !ours.has(name) &&
      !misleading.test(name) &&
      (!credentialWord.test(name) || harmless.has(name)),
  );
  return ['Host', host, ...kept.flatMap(([, written, value]) => [written, value]), ...keyHeader(upstream)];
}

/** The headers of an answer, without those of the connection and those that lead elsewhere. Same form. */
export function responseHeaders(rawHeaders: readonly string[]): string[] {
  const dropped = connectionOptions(rawHeaders);
  return pairs(rawHeaders)
    .filter(([name]) => !dropped.has(name) && !withheldAnswers.has(name))
    .flatMap(([, written, value]) => [written, value]);
}

/** The header that signs a request, in the form above; empty for a model without a key. */
export function keyHeader({ authentication, key }: SignedUpstream): string[] {
  if (authentication === 'none' || key === undefined) return [];
  return authentication === 'bearer' ? ['Authorization', `Bearer ${key}`] : [authentication, key];
}

/** Names that are for this connection alone: the usual ones, and those that `Connection` lists. */
function connectionOptions(rawHeaders: readonly string[]): Set<string> {
  const listed = pairs(rawHeaders)
    .filter(([name]) => name === 'connection')
    .flatMap(([, , value]) => value.split(',').map((option) => option.trim().toLowerCase()));
  // a client must not be able to remove what says how long the body is
  return new Set([...hopByHop, ...listed.filter((name) => !ours.has(name))]);
}

/** Name in lower case, name as written, value. */
function pairs(rawHeaders: readonly string[]): [string, string, string][] {
  return rawHeaders.flatMap((written, index): [string, string, string][] =>
    index % 2 === 0 ? [[written.toLowerCase(), written, rawHeaders[index + 1] ?? '']] : [],
  );
}
