import { isIP } from 'node:net';
import { classifyAddress } from './addressRules';
import { bareHostOf } from './hostName';

/** Names of the machine itself, and of networks that are not the internet (RFC 6761, 6762, 8375; ICANN's `internal`). */
const privateName = /(?:^|\.)(?:localhost|local|internal|home\.arpa|localdomain)$/;

/**
 * Whether a base URL leads to the same server from every machine. Loopback and private addresses do not, nor do names
 * without a dot, which each network completes in its own way.
 * @param baseUrl as `normaliseModelAddress` gives it
 */
export function isSharedAddress(baseUrl: string): boolean {
  const name = bareHostOf(baseUrl).replace(/\.$/, '');
  if (isIP(name) !== 0) return classifyAddress(name) === 'public';
  return name.includes('.') && !privateName.test(name);
}
