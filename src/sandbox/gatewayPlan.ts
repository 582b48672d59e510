import { seenFromInside, type RunDirectory } from './runDirectory';
import type { SandboxSpecification } from './specification';

/**
 * Where the companion listens inside, on 127.0.0.1 of the sandbox's own network: Squid's usual port, and the next.
 * Both lie below the range from which programs are given ports of their own (ip(7): ip_local_port_range).
 */
export const insidePorts = { egress: 3128, models: 3129 } as const;

/** What the companion passes on: connections to a port on 127.0.0.1 inside, to a unix socket as seen from inside. */
export interface Forward {
  readonly port: number;
  readonly socket: string;
}

type NetworkPart = Pick<SandboxSpecification, 'network' | 'access'>;

/** Whether the agent gets the proxy for allowed hosts. */
export function hasEgress({ network }: NetworkPart): boolean {
  return network === 'restricted';
}

/** Whether the agent gets the models of the gateway. */
export function hasModels({ access }: NetworkPart): boolean {
  return access.models.length > 0;
}

/**
 * What the companion has to pass on. Nothing with an open network: there the gateway itself listens on the computer's
 * 127.0.0.1, and everything else is reached directly.
 */
export function forwardsOf(specification: NetworkPart, run: RunDirectory): Forward[] {
  if (specification.network === 'open') return [];
  return [
    ...(hasEgress(specification)
      ? [{ port: insidePorts.egress, socket: seenFromInside(run.egressSocket, run) }]
      : []),
    ...(hasModels(specification)
      ? [{ port: insidePorts.models, socket: seenFromInside(run.modelSocket, run) }]
      : []),
  ];
}

/**
 * The variables by which programs inside find the proxy. Both spellings, because programs differ in which they read
 * (opencode takes either, but not ALL_PROXY), and loopback named, because opencode does not exempt it (measured).
 */
export function proxyEnvironment(specification: NetworkPart): Record<string, string> {
  if (!hasEgress(specification)) return {};
  const proxy = `http://127.0.0.1:${insidePorts.egress}`;
  const exceptions = 'localhost,127.0.0.1,::1';
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: exceptions,
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: exceptions,
  };
}
