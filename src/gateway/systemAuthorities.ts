import { readFileSync, statSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/** Where distributions keep what they trust: Debian, Ubuntu, Arch and Alpine; Fedora and Red Hat; SUSE. */
const systemBundles: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
];
/** Those of distributions have about 200 KiB. */
const longestBundle = 4 * 1024 * 1024;

const certificate = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * The authorities that this computer trusts and Node does not: those of its system, where sites put their own, and
 * those of NODE_EXTRA_CA_CERTS. What can't be read counts as empty.
 * @param bundles files of which the first that is there counts
 * @param extra a further file
 * @returns certificates, PEM, each once
 */
export function systemAuthorities(
  bundles: readonly string[] = systemBundles,
  extra: string | undefined = process.env['NODE_EXTRA_CA_CERTS'],
): readonly string[] {
  const bundle = bundles.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  const files = [bundle, extra].filter((path) => path !== undefined && path !== '');
  const certificates = files.flatMap((path) => readBundle(path ?? '').match(certificate) ?? []);
  const builtIn = new Set(rootCertificates.map(withoutSpace));
  const added = new Map(certificates.map((pem) => [withoutSpace(pem), pem]));
  return [...added].filter(([key]) => !builtIn.has(key)).map(([, pem]) => pem);
}

function readBundle(path: string): string {
  try {
    const { size } = statSync(path);
    return size > longestBundle ? '' : readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function withoutSpace(pem: string): string {
  return pem.replace(/\s/g, '');
}
