import { createSecureContext, type SecureContext } from 'node:tls';

/** What Node's types leave out; there since Node 0.11. */
interface NativeContext {
  addCACert(pem: string): void;
}

/**
 * Trusts Node's authorities, those of NODE_EXTRA_CA_CERTS, and some more. (The option `ca` would replace them.)
 * @param authorities certificates, PEM
 */
export function secureContextTrusting(authorities: readonly string[]): SecureContext {
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2' });
  const native = secureContext.context as NativeContext;
  authorities.forEach((pem) => native.addCACert(pem));
  return secureContext;
}
