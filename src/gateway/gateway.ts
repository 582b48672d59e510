import type { Socket } from 'node:net';
import type { ModelUpstream, SiteProxy } from '../sandbox/networkAccess';

/** What the gateway is told; crosses into its thread, so plain data only. */
export interface GatewayOptions {
  /** the proxy for allowed hosts; absent with an open network and with none */
  readonly egress?: {
    /** path of the unix socket on which it listens */
    readonly socket: string;
    readonly allowedHosts: readonly string[];
  };
  /** the models; absent when the sandbox has none */
  readonly models?: {
    /** a path of a unix socket, or an ephemeral port on 127.0.0.1 for a sandbox with the host's network */
    readonly listen: { readonly socket: string } | 'loopback';
    /** what the sandbox presents in the place of a key: 64 hex digits */
    readonly token: string;
    readonly upstreams: readonly SignedUpstream[];
  };
  readonly siteProxy?: SiteProxy & { readonly authorization?: string };
}

export interface SignedUpstream extends ModelUpstream {
  readonly key?: string;
}

/** What the agent tried to reach, and what became of it. One attempt is told when decided and again when over. */
export interface NetworkEntry {
  /** counts up from 1 in each sandbox */
  readonly id: number;
  /** milliseconds since the epoch */
  readonly time: number;
  /** as normalised, or as the agent wrote it when that was no host; at most 253 characters; hostile */
  readonly host: string;
  readonly port: number;
  /** `tunnel`: CONNECT, TLS end to end. `plain`: unencrypted HTTP. */
  readonly kind: 'tunnel' | 'plain';
  readonly verdict: 'allowed' | 'denied' | 'failed';
  /** why it was denied or failed */
  readonly reason?: NetworkReason;
  /** the private address to which the name leads, for `privateAddress` */
  readonly address?: string;
  /** bytes from the agent, and to it */
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** absent while it is open */
  readonly durationMilliseconds?: number;
}

export type NetworkReason =
  /** not on the list */
  | 'notAllowed'
  /** the name leads to this computer, a private network or a metadata service */
  | 'privateAddress'
  /** no host or port that could be meant in one way only */
  | 'malformed'
  /** inside the tunnel another host was named than outside, or none */
  | 'otherServerName'
  /** what went through the tunnel was not TLS */
  | 'notTls'
  /** an upgrade, or more than a limit allows */
  | 'notSupported'
  | 'tooManyConnections'
  | 'nameNotFound'
  | 'refused'
  | 'timedOut'
  /** the site's proxy did not let it through, or wants a password */
  | 'siteProxy'
  | 'broken';

/** How a model is doing, from what the gateway saw last. */
export interface ModelHealth {
  readonly providerId: string;
  readonly state:
    | 'unknown'
    | 'reachable'
    | 'refused'
    | 'nameNotFound'
    | 'certificate'
    /** 401 or 403 */
    | 'unauthorized'
    /** 429 */
    | 'limited'
    /** 5xx, or an answer that is none */
    | 'failing'
    /** nothing came for a while, or the connection was lost */
    | 'silent';
  /** of the answer, if there was one */
  readonly status?: number;
  /** milliseconds since the epoch: until when `limited` */
  readonly until?: number;
  /** how long nothing has come, for `silent` */
  readonly seconds?: number;
  /** milliseconds since the epoch at which this was seen */
  readonly time: number;
}

export interface GatewayListeners {
  /** attempts, new ones and changed ones, a few times a second at most */
  readonly onNetwork: (entries: readonly NetworkEntry[]) => void;
  readonly onModel: (health: ModelHealth) => void;
  /** it can't go on: the sandbox ends */
  readonly onFailure: (error: Error) => void;
}

/** A running gateway. */
export interface Gateway {
  /** the port on 127.0.0.1, when the models are there */
  readonly modelPort: number | undefined;
  /** Replaces the list; connections that are open and no longer allowed end. */
  setAllowedHosts(hosts: readonly string[]): void;
  /** Ends all connections and removes the sockets. */
  close(): Promise<void>;
}

/** How the gateway meets the network; tests put loopback in the place of the world. */
export interface GatewayEffects {
  /** All addresses of a name, in the order of the resolver. @throws with `code` as dns.lookup does */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Opens a TCP connection to an address that was judged before. */
  readonly connect: (address: string, port: number) => Socket;
  /** certificates of authorities that are trusted besides Node's own, PEM */
  readonly authorities?: readonly string[];
}
