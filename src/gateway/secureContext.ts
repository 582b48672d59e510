import { createSecureContext, type SecureContext } from 'node:tls';

/** What Node's types leave out; there since Node 0.11. */
interface NativeContext {
  addCACert(pem: string): void;
}

/** Reading hundreds of certificates takes milliseconds, so each list is read once. */
const made = new WeakMap<readonly string[], SecureContext>();

/**
 * Trusts Node's authorities and some more; with none more also those of NODE_EXTRA_CA_CERTS, which Node 20 forgets
 * otherwise. (The option `ca` would replace all of them.)
 * @param authorities certificates, PEM; who gives the same list again gets the same context
 */
export function secureContextTrusting(authorities: readonly string[] = noAuthorities): SecureContext {
  const known = made.get(authorities);
  if (known) return known;
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2' });
  const native = secureContext.context as NativeContext;
  authorities.forEach((pem) => native.addCACert(pem));
  made.set(authorities, secureContext);
  return secureContext;
}

const noAuthorities: readonly string[] = [];
