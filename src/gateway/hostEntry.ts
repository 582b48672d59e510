import { message, type Message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { formatAuthority, normaliseHost, splitAuthority } from './hostName';

/** One line of the allow-list, normalised. */
export interface HostEntry {
  /** `subdomains`: everything below `host`, but not `host` itself */
  readonly kind: 'name' | 'subdomains' | 'address';
  readonly host: string;
  /** absent: 443 and 80 */
  readonly port?: number;
}

/** Those of HTTPS and HTTP, which an entry without a port means. */
const usualPorts: readonly number[] = [443, 80];

/**
 * Reads an entry as a person writes it: `host`, `host:port`, `*.domain`, an IPv4 address, or `[IPv6 address]`.
 * @throws UserError `host.invalid`; never repeats the text, which may come from the agent
 */
export function parseHostEntry(text: string): HostEntry {
  const written = text.trim();
  const isWildcard = written.startsWith('*.');
  const authority = splitAuthority(isWildcard ? written.slice(2) : written);
  const host = authority && normaliseHost(authority.host);
  if (!authority || !host) {
    throw new UserError('host.invalid', whyInvalid(written));
  }
  if (isWildcard && (host.kind === 'address' || !host.host.includes('.'))) {
    throw new UserError(
      'host.invalid',
      message('A star must stand before a domain with a dot in it, for example *.example.org.'),
    );
  }
  return {
    kind: isWildcard ? 'subdomains' : host.kind,
    host: host.host,
    ...(authority.port === undefined ? {} : { port: authority.port }),
  };
}

/** The entry as it is kept and shown; `parseHostEntry` reads it back. */
export function formatHostEntry({ kind, host, port }: HostEntry): string {
  return `${kind === 'subdomains' ? '*.' : ''}${formatAuthority(host, port)}`;
}

/**
 * The narrowest entry that allows a host and a port, for example to allow what was denied.
 * @param host normalised, or what the agent wrote
 * @throws UserError `host.invalid`, also for a star: nobody can have been denied one
 */
export function hostEntryFor(host: string, port: number): HostEntry {
  const entry = parseHostEntry(formatAuthority(host, port));
  if (entry.kind === 'subdomains') {
    throw new UserError('host.invalid', whyInvalid(host));
  }
  return usualPorts.includes(port) ? { kind: entry.kind, host: entry.host } : entry;
}

/** Whether an entry names a host, which is normalised, and a port. */
export function matchesEntry(entry: HostEntry, host: { kind: string; host: string; port: number }): boolean {
  const isPort = entry.port === undefined ? usualPorts.includes(host.port) : entry.port === host.port;
  const isHost =
    entry.kind === 'subdomains'
      ? host.kind === 'name' && host.host.endsWith(`.${entry.host}`)
      : host.kind === entry.kind && host.host === entry.host;
  return isPort && isHost;
}

function whyInvalid(written: string): Message {
  if (written.includes('/')) {
    return message('Write only the host, without https:// and without a path, for example pypi.org.');
  }
  if (written.includes('@')) {
    return message('Write only the host, without a user or a password.');
  }
  if (written.includes('*')) {
    return message('A star can only stand for all sub-domains of a domain, for example *.example.org.');
  }
  return message(
    'This is no host. Write a name, *.domain or an address, and a port if it is neither 443 nor 80: example.org, *.example.org, example.org:8080, 192.0.2.1, [2001:db8::1]:8443.',
  );
}
