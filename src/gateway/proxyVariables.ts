import type { Environment } from '../sandbox/hostEnvironment';
import {
  exceptionVariables,
  proxyVariables,
  siteProxyFrom,
  type SiteProxySources,
  type SiteProxyWithAuthorization,
} from './siteProxy';

/**
 * An environment for a program that knows a site's proxy by variables alone: where it names none, those of VS Code's
 * settings do. The password of a proxy is in it, as it would be had the user set the variables; so it is for an
 * environment, never for arguments or a log.
 */
export function withProxyVariables({ environment, ...settings }: SiteProxySources): Environment {
  const isSet = (names: readonly string[]): boolean => names.some((name) => Boolean(environment[name]));
  const proxy = isSet(proxyVariables) ? undefined : siteProxyFrom({ ...settings, environment: {} });
  const exceptions = isSet(exceptionVariables) ? [] : (settings.noProxySetting ?? []).filter(Boolean);
  const address = proxy && addressOf(proxy);
  return {
    ...environment,
    ...(address === undefined ? {} : { http_proxy: address, https_proxy: address }),
    ...(exceptions.length === 0 ? {} : { no_proxy: exceptions.join(',') }),
  };
}

/**
 * Encoded, so that whoever reads it finds an address whatever the password is: Go repeats in its message one that it
 * can't read. What is no name and password can't be in an address; a proxy that wants it will say so.
 */
function addressOf({ url, authorization = '' }: SiteProxyWithAuthorization): string {
  const [, encoded] = /^Basic +(\S+)$/i.exec(authorization.trim()) ?? [];
  if (encoded === undefined) return url;
  const credentials = Buffer.from(encoded, 'base64').toString('utf8');
  // RFC 7617 2: a name has no colon
  const end = credentials.indexOf(':');
  const parts = end < 0 ? [credentials] : [credentials.slice(0, end), credentials.slice(end + 1)];
  return url.replace('://', `://${parts.map(encodeURIComponent).join(':')}@`);
}
