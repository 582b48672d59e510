import { execFileSync } from 'node:child_process';

/** What a certificate that signs itself is to say, and where it goes. */
export interface SelfSigned {
  /** its common name */
  readonly name: string;
  /** one extension, as openssl-req(1) takes it with `-addext` */
  readonly extension: string;
  /** files to be written, absolute */
  readonly key: string;
  readonly certificate: string;
}

/** Makes a key and a certificate that signs itself, for two days. */
export function makeSelfSigned({ name, extension, key, certificate }: SelfSigned): void {
  const request = ['req', '-x509', '-nodes', '-days', '2', '-subj', `/CN=${name}`, '-addext', extension];
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', [...request, ...algorithm, ...files], { stdio: 'pipe' });
}
