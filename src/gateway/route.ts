import type { Socket } from 'node:net';
import { classifyAddress } from './addressRules';
import { connectAny } from './connectAny';
import { withDeadline } from './deadline';
import { isOnList, judgeAddresses, type JudgedAddresses } from './decision';
import type { EgressLimits } from './egressLimits';
import type { GatewayEffects, NetworkEntry } from './gateway';
import type { HostEntry } from './hostEntry';
import { Refusal } from './refusal';
import { isException, type SiteProxyWithAuthorization } from './siteProxy';
import { connectToSiteProxy, openTunnel } from './siteProxyConnection';
import type { Target } from './target';

/** A connection that leads to a target and to nothing else. */
export interface Route {
  readonly socket: Socket;
  /** to which it leads; absent through the site's proxy, which resolves names itself */
  readonly address?: string;
  /** set when the site's proxy is at the other end, and has to be told where a request goes */
  readonly siteProxy?: SiteProxyWithAuthorization;
}

export interface RouteOptions {
  readonly effects: GatewayEffects;
  readonly limits: EgressLimits;
  readonly siteProxy?: SiteProxyWithAuthorization;
  /** the allow-list as it is now */
  readonly entries: () => readonly HostEntry[];
}

/**
 * Judges a target and connects to it: its name first, then all addresses of it, which are asked for once; the
 * connection goes to an address that was judged.
 * @param signal ends it, with a Refusal as its reason
 * @throws Refusal, or what the resolver or the connection met
 */
export async function openRoute(
  target: Target,
  kind: NetworkEntry['kind'],
  options: RouteOptions,
  signal: AbortSignal,
): Promise<Route> {
  if (!isOnList(target, options.entries())) {
    throw new Refusal('notAllowed');
  }
  const { siteProxy } = options;
  return siteProxy && !isException(target, siteProxy.exceptions)
    ? openThroughSiteProxy(target, kind, siteProxy, options, signal)
    : openDirectly(target, options, signal);
}

async function openDirectly(
  target: Target,
  { effects, limits, entries }: RouteOptions,
  signal: AbortSignal,
): Promise<Route> {
  const addresses = await addressesOf(target, effects, limits.resolve, signal);
  const judged = judgeAddresses(target, addresses, entries());
  if (judged.usable.length === 0) {
    throw refusalFor(judged);
  }
  return connectAny(judged.usable, target.port, effects.connect, limits, signal);
}

/**
 * The proxy resolves the name itself, often because nobody else can. Where the resolver of this computer knows the
 * name, none of its addresses may be private, because the proxy chooses. Private ones that the user has named are
 * those of this computer and its networks, and are not for the proxy.
 */
async function openThroughSiteProxy(
  target: Target,
  kind: NetworkEntry['kind'],
  siteProxy: SiteProxyWithAuthorization,
  { effects, limits, entries }: RouteOptions,
  signal: AbortSignal,
): Promise<Route> {
  const known = await addressesOf(target, effects, limits.resolveBesideSiteProxy, signal).catch(
    (): readonly string[] => [],
  );
  signal.throwIfAborted();
  const judged = judgeAddresses(target, known, entries());
  if (judged.refused.length > 0) {
    throw refusalFor(judged);
  }
  if (judged.usable.some((address) => classifyAddress(address) !== 'public')) {
    return connectAny(judged.usable, target.port, effects.connect, limits, signal);
  }
  return withDeadline(limits.connect, signal, async (both) => {
    const socket = await connectToSiteProxy(siteProxy, effects, limits, both);
    return kind === 'plain'
      ? { socket, siteProxy }
      : { socket: await openTunnel(socket, target, siteProxy, both) };
  });
}

function refusalFor({ refused: [address] }: JudgedAddresses): Refusal {
  return address === undefined ? new Refusal('nameNotFound') : new Refusal('privateAddress', address);
}

async function addressesOf(
  { kind, host }: Target,
  effects: GatewayEffects,
  milliseconds: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (kind === 'address') {
    return [host];
  }
  return withDeadline(milliseconds, signal, () => effects.resolve(host));
}
