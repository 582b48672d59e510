import type { SignedUpstream } from './gateway';
import { endToEnd, headerPairs, ownHeaders, rawHeadersOf, uncompressed } from './headers';

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
  const kept = endToEnd(headerPairs(rawHeaders)).filter(
    ([name]) =>
      !ownHeaders.has(name) && !misleading.test(name) && (!credentialWord.test(name) || harmless.has(name)),
  );
  return ['Host', host, ...rawHeadersOf(kept.map(uncompressed)), ...keyHeader(upstream)];
}

/** The headers of an answer, without those of the connection and those that lead elsewhere. Same form. */
export function responseHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeadersOf(endToEnd(headerPairs(rawHeaders)).filter(([name]) => !withheldAnswers.has(name)));
}

/** The header that signs a request, in the form above; empty for a model without a key. */
export function keyHeader({ authentication, key }: SignedUpstream): string[] {
  if (authentication === 'none' || key === undefined) return [];
  return authentication === 'bearer' ? ['Authorization', `Bearer ${key}`] : [authentication, key];
}
