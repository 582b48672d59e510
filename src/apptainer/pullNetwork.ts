/** What of a source's host tells how to reach it. */
const hostOf = /^\w+:\/\/(\[[^\]]*\]|[^/:]*)/;

/**
 * Whether a source is on this very computer, where registries have no certificate: traffic to it can't be changed on its
 * way.
 */
export function isOnThisComputer(source: string): boolean {
  const [, host = ''] = hostOf.exec(source) ?? [];
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The digest by which a source is pinned, if it is. */
export function pinnedDigest(source: string): string | undefined {
  return /@(sha256:[0-9a-f]{64})$/.exec(source)?.[1];
}
