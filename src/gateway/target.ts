import { type Host, normaliseHost, splitAuthority } from './hostName';

/** What the agent asks for: a normalised host and a port. */
export interface Target extends Host {
  readonly port: number;
}

/** Visible ASCII: all that RFC 9112 3.2 lets a request target be made of, and a little more. */
const visible = /^[\x21-\x7e]+$/;

/**
 * The target of a CONNECT request (RFC 9110 9.3.6: host and port, both).
 * @returns undefined when it is malformed
 */
export function targetOfAuthority(authority: string): Target | undefined {
  const parts = visible.test(authority) ? splitAuthority(authority) : undefined;
  const host = parts && normaliseHost(parts.host);
  return host && parts.port !== undefined ? { ...host, port: parts.port } : undefined;
}

/**
 * The target of a request in absolute form (RFC 9112 3.2.2), and the path with its query for the server.
 * @returns undefined when it is malformed, has a user or a fragment, or is not of http
 */
export function targetOfUrl(url: string): { target: Target; path: string } | undefined {
  const [, authority, rest = ''] = (visible.test(url) && /^http:\/\/([^/?#\\]+)([/?].*)?$/i.exec(url)) || [];
  const parts = authority === undefined || rest.includes('#') ? undefined : splitAuthority(authority);
  const host = parts && normaliseHost(parts.host);
  if (!host) {
    return undefined;
  }
  return { target: { ...host, port: parts.port ?? 80 }, path: rest.startsWith('/') ? rest : `/${rest}` };
}
