import type { ModelHealth, NetworkEntry } from './gateway';

/** What the supervisor says to the thread of its gateway; {@link GatewayOptions} are its `workerData`. */
export type ToGateway =
  { readonly type: 'allowedHosts'; readonly hosts: readonly string[] } | { readonly type: 'close' };

/** What the thread says. `listening` or `failed` comes first. */
export type FromGateway =
  | { readonly type: 'listening'; readonly modelPort: number | undefined }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'network'; readonly entries: readonly NetworkEntry[] }
  | { readonly type: 'model'; readonly health: ModelHealth }
  | { readonly type: 'closed' };
