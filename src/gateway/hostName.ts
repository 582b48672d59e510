import { isIP, isIPv4, isIPv6 } from 'node:net';

/** A host in the one form in which it is compared, resolved and connected to. */
export interface Host {
  readonly kind: 'name' | 'address';
  /** a name in lower case and Punycode without a final dot, or a canonical address without brackets */
  readonly host: string;
}

/** What an URL would read as something else than a host, or take away without a word. */
const notOfHosts = /[\u0000-\u0020\u007f"#%/:<>?@[\\\]^`{|}]/;
/** A label (RFC 1123 2.1), or one of those with underscores that are in use. */
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** RFC 1035 2.3.4, without the root's dot */
const longestName = 253;
/** More can't become a name; keeps the work small for what is much longer. */
const longestText = 1024;

/** The host that a URL names, an IPv6 address without its brackets. @throws TypeError when it is no URL */
export function bareHostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/**
 * The canonical form of a host, whatever way it is written: case, final dot, Punycode or Unicode, and addresses in
 * decimal, octal, hexadecimal and short forms, as the URL Standard reads them.
 * @param text without port; IPv6 addresses in brackets
 * @returns undefined when it is no host, or could be read in two ways (zone ids, percent signs, empty labels)
 */
export function normaliseHost(text: string): Host | undefined {
  if (text.startsWith('[')) {
    const inner = /^\[([\da-f:.]+)\]$/i.exec(text)?.[1];
    const address = inner !== undefined && isIPv6(inner) ? canonicalAddress(inner) : undefined;
    return address === undefined ? undefined : { kind: 'address', host: address };
  }
  const host = text.length > longestText || notOfHosts.test(text) ? undefined : hostOfUrl(text);
  if (host === undefined) {
    return undefined;
  }
  if (isIPv4(host)) {
    return { kind: 'address', host };
  }
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  const isName = name.length <= longestName && name.split('.').every((part) => label.test(part));
  return isName && isIP(name) === 0 ? { kind: 'name', host: name } : undefined;
}

/**
 * The canonical text of an address, as resolvers give it. An IPv4 address that is mapped into IPv6 (RFC 4291
 * 2.5.5.2) becomes the IPv4 address, because the kernel connects to that.
 * @returns undefined for what is no address, or has a zone id
 */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) {
    return text;
  }
  const address = isIPv6(text) && !text.includes('%') ? hostOfUrl(`[${text}]`)?.slice(1, -1) : undefined;
  return address === undefined ? undefined : (embeddedAddress(address, '::ffff:') ?? address);
}

/**
 * The IPv4 address in the last 32 bits of an IPv6 address.
 * @param address canonical
 * @param prefix the other 96 bits, as the canonical form of an address begins that has them: `::ffff:`
 * @returns undefined when it has another prefix
 */
export function embeddedAddress(address: string, prefix: string): string | undefined {
  const groups = address.startsWith(prefix) ? address.slice(prefix.length).split(':') : [];
  // where the prefix ends with ::, zeros behind it are left out as well
  const isWhole = groups.length === 2 || (groups.length === 1 && prefix.endsWith('::'));
  if (!isWhole) {
    return undefined;
  }
  const [high, low] = groups.length === 2 ? groups : ['0', groups[0]];
  const words = [high, low].map((group) => Number.parseInt(group || '0', 16));
  return words.flatMap((word) => [word >> 8, word & 255]).join('.');
}

/**
 * Splits `HOST` or `HOST:PORT`.
 * @returns undefined when the port is none (1 to 65535, decimal, no zeros before it), or there are more colons
 */
export function splitAuthority(text: string): { host: string; port?: number } | undefined {
  const [, host, digits] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  if (host === undefined) {
    return undefined;
  }
  if (digits === undefined) {
    return { host };
  }
  const port = /^[1-9]\d{0,4}$/.test(digits) ? Number(digits) : Infinity;
  return port <= 65_535 ? { host, port } : undefined;
}

/** `HOST` or `HOST:PORT` of a normalised host, with brackets around IPv6 addresses. */
export function formatAuthority(host: string, port?: number): string {
  const text = isIPv6(host) ? `[${host}]` : host;
  return port === undefined ? text : `${text}:${port}`;
}

/** What an URL makes of a host. */
function hostOfUrl(host: string): string | undefined {
  try {
    return new URL(`http://${host}/`).hostname;
  } catch {
    return undefined;
  }
}
