import { bareHostOf } from '../../gateway/hostName';
import { hostLabel } from '../network/networkLogRows';

/** The host and port of a server, of a long name the end: it says whose it is. @param baseUrl normalised */
export function addressLabel(baseUrl: string): string {
  const { port, protocol } = new URL(baseUrl);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return hostLabel(bareHostOf(baseUrl), port === '' ? defaultPort : Number(port));
}
