import { BlockList, isIP, isIPv4 } from 'node:net';
import type { SiteProxy } from '../sandbox/networkAccess';
import { formatAuthority, normaliseHost, splitAuthority } from './hostName';
import type { Target } from './target';

/** A site's proxy with what it wants to know; crosses into the gateway's thread. */
export type SiteProxyWithAuthorization = SiteProxy & {
  /** the value of the header Proxy-Authorization; secret */
  readonly authorization?: string;
};

/** Where a site's proxy may be written down; each is read only if those before it are not set. */
export interface SiteProxySources {
  /** VS Code's setting `http.proxy` */
  readonly httpProxySetting?: string;
  /** VS Code's setting `http.noProxy` */
  readonly noProxySetting?: readonly string[];
  /** VS Code's setting `http.proxyAuthorization` */
  readonly authorizationSetting?: string;
  /** the environment of VS Code; it may hold other variables */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** As curl and most others read them, in this order; ours is for https first. */
export const proxyVariables: readonly string[] = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];
export const exceptionVariables: readonly string[] = ['no_proxy', 'NO_PROXY'];

/**
 * The proxy through which this computer reaches the internet, with its credentials split off its URL.
 * @returns undefined when there is none, or none that speaks HTTP (SOCKS)
 */
export function siteProxyFrom({
  httpProxySetting,
  noProxySetting = [],
  authorizationSetting,
  environment,
}: SiteProxySources): SiteProxyWithAuthorization | undefined {
  const firstOf = (names: readonly string[]): string | undefined =>
    names.map((name) => environment[name]).find(Boolean);
  const written = httpProxySetting || firstOf(proxyVariables);
  const proxy = written ? readProxyUrl(written.trim()) : undefined;
  if (!proxy) {
    return undefined;
  }
  const exceptions =
    noProxySetting.length > 0 ? noProxySetting : firstOf(exceptionVariables)?.split(/[\s,]+/);
  const authorization = authorizationSetting || proxy.authorization;
  return {
    url: proxy.url,
    exceptions: (exceptions ?? []).filter(Boolean),
    ...(authorization ? { authorization } : {}),
  };
}

/** Reached without a proxy, whether the exceptions say so or not: a proxy would take itself for it. */
const thisComputer = ['localhost', '127.0.0.0/8', '[::1]'];

/**
 * Whether a target is reached without the site's proxy: this computer always. Exceptions are `*`, a host, which stands for its sub-domains
 * as well, `.domain` or `*.domain`, an address, a subnet such as 10.0.0.0/8 (for targets that are addresses), each
 * but the subnet with `:port` if only that is meant.
 */
export function isException(target: Target, exceptions: readonly string[]): boolean {
  return [...thisComputer, ...exceptions].some(
    (exception) => exception === '*' || names(exception.toLowerCase(), target),
  );
}

function names(exception: string, { kind, host, port }: Target): boolean {
  if (exception.includes('/')) {
    return kind === 'address' && isInSubnet(host, exception);
  }
  const text = isIP(exception) === 6 ? `[${exception}]` : exception.replace(/^\*?\./, '');
  const authority = splitAuthority(text);
  const excepted = authority && normaliseHost(authority.host);
  if (!excepted || (authority.port !== undefined && authority.port !== port)) {
    return false;
  }
  return host === excepted.host || (kind === 'name' && host.endsWith(`.${excepted.host}`));
}

function isInSubnet(address: string, subnet: string): boolean {
  const [network = '', prefix = ''] = subnet.split('/');
  const family = isIPv4(network) ? 'ipv4' : 'ipv6';
  const longest = family === 'ipv4' ? 32 : 128;
  if (
    isIP(network) === 0 ||
    isIP(network) !== isIP(address) ||
    !(/^\d{1,3}$/.test(prefix) && +prefix <= longest)
  ) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(address, family);
}

function readProxyUrl(written: string): { url: string; authorization?: string } | undefined {
  // curl takes what has no scheme for http
  const text = written.includes('://') ? written : `http://${written}`;
  if (!URL.canParse(text)) {
    return undefined;
  }
  const { protocol, hostname, port, username, password } = new URL(text);
  const host = normaliseHost(hostname);
  if (!host || (protocol !== 'http:' && protocol !== 'https:')) {
    return undefined;
  }
  const usualPort = protocol === 'http:' ? 80 : 443;
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return {
    url: `${protocol}//${formatAuthority(host.host, Number(port || usualPort))}`,
    // RFC 7617 2
    ...(username || password
      ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
      : {}),
  };
}

/** Percent signs that encode nothing stay: people put passwords into URLs as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
