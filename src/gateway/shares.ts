/** What the supervisor needs besides its gateway: its sockets, files of /proc, and those of a busy moment. */
const reserved = 200;

/** How many connections the parts of a gateway may have open. */
export interface ConnectionShares {
  readonly egress: { readonly attempts: number; readonly connections: number };
  readonly models: { readonly connections: number };
}

/**
 * Shares out what may be open at once, so that an agent that opens all it can takes no descriptor from the verdicts:
 * an attempt has up to two connections to the outside, as has each pair of clients of the models.
 * @param openFiles how many files the process may have open
 */
export function shareConnections(openFiles: number): ConnectionShares {
  const share = Math.max(8, Math.floor((openFiles - reserved) / 8));
  return {
    egress: { attempts: Math.min(256, share), connections: Math.min(512, 2 * share) },
    models: { connections: Math.min(512, 2 * share) },
  };
}
