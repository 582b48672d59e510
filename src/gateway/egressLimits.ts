/** What bounds the egress proxy. Times are in milliseconds. */
export interface EgressLimits {
  /** attempts that are open at the same time; a package manager has a few dozen */
  readonly attempts: number;
  /** connections to the proxy; more than attempts, so that those in excess can be told */
  readonly connections: number;
  /** bytes of a request's head, also of an answer's; node:http's own default */
  readonly headBytes: number;
  /** until the head of a request has come */
  readonly head: number;
  /** until a whole request has come; uploads can be long */
  readonly request: number;
  /** how often the two above are looked at */
  readonly checkInterval: number;
  /** between two requests on one connection */
  readonly keepAlive: number;
  readonly resolve: number;
  /** as long as that a name may take that only the site's proxy may know */
  readonly resolveBesideSiteProxy: number;
  /** until one of the addresses has answered, and the site's proxy */
  readonly connect: number;
  /** until the next address is tried besides (RFC 8305 5) */
  readonly nextAddress: number;
  /** until the ClientHello has come */
  readonly hello: number;
  /** without a byte in either direction; Squid and NAT gateways have about the same */
  readonly idle: number;
  /** of one attempt in all */
  readonly lifetime: number;
  /** for a client to take its last answer */
  readonly linger: number;
}

export const egressLimits: EgressLimits = {
  attempts: 256,
  connections: 512,
  headBytes: 16_384,
  head: 20_000,
  request: 3_600_000,
  checkInterval: 5_000,
  keepAlive: 15_000,
  resolve: 20_000,
  resolveBesideSiteProxy: 2_000,
  connect: 30_000,
  nextAddress: 250,
  hello: 10_000,
  idle: 300_000,
  lifetime: 86_400_000,
  linger: 1_000,
};
