import type { IncomingMessage } from 'node:http';
import { endToEnd, headerPairs, ownHeaders, rawHeadersOf } from './headers';
import { formatAuthority } from './hostName';
import { type Target, targetOfUrl } from './target';

/** A request for a server that the agent reaches without TLS, taken apart and made anew. */
export interface PlainRequest {
  readonly target: Target;
  readonly method: string;
  /** with its query */
  readonly path: string;
  /** names and values in turn, as node:http takes them; they begin with Host, and say how the body is framed */
  readonly headers: readonly string[];
  readonly hasBody: boolean;
}

/**
 * Reads a request in absolute form. What comes out is built from what was understood, so that nobody behind can
 * understand it in another way.
 * @returns why it is refused, if it is
 */
export function readPlainRequest({
  method = '',
  url = '',
  rawHeaders,
}: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>): PlainRequest | 'malformed' | 'notSupported' {
  const parsed = targetOfUrl(url);
  const headers = headerPairs(rawHeaders);
  const valuesOf = (name: string): string[] =>
    headers.filter(([other]) => other === name).map(([, , value]) => value);
  if (!parsed || !agrees(valuesOf('host'), parsed.target)) {
    return 'malformed';
  }
  // RFC 9110 9.3.8: who gets it repeats the request, and to a site's proxy that has the password (Max-Forwards: 0)
  if (valuesOf('upgrade').length > 0 || method === 'TRACE' || method === 'TRACK') {
    return 'notSupported';
  }
  const framing = framingOf(method, valuesOf('content-length'), valuesOf('transfer-encoding'));
  if (!framing) {
    return 'malformed';
  }
  const { target, path } = parsed;
  const host = formatAuthority(target.host, target.port === 80 ? undefined : target.port);
  const kept = endToEnd(headers).filter(([name]) => !ownHeaders.has(name));
  return {
    target,
    method,
    path,
    headers: ['Host', host, ...rawHeadersOf(kept), ...framing, 'Connection', 'close'],
    hasBody: framing.length > 0 && framing[1] !== '0',
  };
}

/** The headers of an answer that are for the agent, names and values in turn. */
export function answerHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeadersOf(endToEnd(headerPairs(rawHeaders)));
}

/** RFC 9112 3.2: exactly one Host, of the same authority. HTTP/1.0 knows none; node:http wants it with 1.1. */
function agrees(hosts: readonly string[], target: Target): boolean {
  const [host] = hosts;
  if (host === undefined) {
    return true;
  }
  const other = targetOfUrl(`http://${host}/`);
  return (
    hosts.length === 1 &&
    other?.path === '/' &&
    other.target.host === target.host &&
    other.target.port === target.port
  );
}

/** How the body is framed, as headers; undefined when that is not clear. */
function framingOf(
  method: string,
  lengths: readonly string[],
  codings: readonly string[],
): readonly string[] | undefined {
  if (lengths.length + codings.length > 1 || (codings[0] ?? 'chunked').toLowerCase() !== 'chunked') {
    return undefined;
  }
  if (lengths[0] !== undefined) {
    return /^\d{1,15}$/.test(lengths[0]) ? ['Content-Length', String(Number(lengths[0]))] : undefined;
  }
  if (codings.length > 0) {
    return ['Transfer-Encoding', 'chunked'];
  }
  // RFC 9110 8.6: these say it even without a body
  return ['POST', 'PUT', 'PATCH'].includes(method) ? ['Content-Length', '0'] : [];
}
