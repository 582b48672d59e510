import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { connectAny } from './connectAny';
import type { EgressLimits } from './egressLimits';
import type { GatewayEffects } from './gateway';
import { bareHostOf, formatAuthority } from './hostName';
import { Refusal } from './refusal';
import { secureContextTrusting } from './secureContext';
import type { SiteProxyWithAuthorization } from './siteProxy';
import type { Target } from './target';

/**
 * Connects to a site's proxy, over TLS if its URL says so.
 * @param signal ends it, with a Refusal as its reason
 * @throws Refusal, or what the connection met
 */
export async function connectToSiteProxy(
  { url }: SiteProxyWithAuthorization,
  effects: GatewayEffects,
  limits: EgressLimits,
  signal: AbortSignal,
): Promise<Socket> {
  const { protocol, port } = new URL(url);
  const host = bareHostOf(url);
  const usualPort = protocol === 'https:' ? 443 : 80;
  const addresses = isIP(host) === 0 ? await effects.resolve(host) : [host];
  const { socket } = await connectAny(addresses, Number(port || usualPort), effects.connect, limits, signal);
  if (protocol === 'http:') {
    return socket;
  }
  const secure = connectTls({
    socket,
    host,
    // RFC 6066 3: never an address
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secureContext: secureContextTrusting(effects.authorities),
  });
  secure.on('error', () => socket.destroy());
  try {
    await once(secure, 'secureConnect', { signal });
    return secure;
  } catch (error) {
    secure.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

/**
 * Asks a site's proxy for a tunnel.
 * @param socket of {@link connectToSiteProxy}
 * @returns the same connection, which now leads to the target
 * @throws Refusal
 */
export async function openTunnel(
  socket: Socket,
  target: Target,
  { authorization }: SiteProxyWithAuthorization,
  signal: AbortSignal,
): Promise<Socket> {
  const authority = formatAuthority(target.host, target.port);
  const asking = request({
    method: 'CONNECT',
    path: authority,
    agent: new OneSocketAgent(socket),
    headers: { Host: authority, ...proxyAuthorization(authorization) },
    setHost: false,
  });
  asking.on('error', () => socket.destroy());
  asking.end();
  try {
    const [response, tunnel, head] = (await once(asking, 'connect', { signal })) as [
      IncomingMessage,
      Socket,
      Buffer,
    ];
    if (response.statusCode !== 200) {
      throw new Refusal(reasonOf(response.statusCode ?? 0));
    }
    if (head.length > 0) {
      tunnel.unshift(head);
    }
    return tunnel;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

/**
 * Gives its one connection to a request. In the extension host VS Code puts an agent of its own in the place of a
 * `createConnection` (1.139), which would connect to this computer; an agent it leaves alone.
 */
class OneSocketAgent extends Agent {
  constructor(private readonly socket: Socket) {
    super({ keepAlive: false });
  }

  override createConnection(): Socket {
    return this.socket;
  }
}

/** The header that a site's proxy wants, if it wants one. */
export function proxyAuthorization(authorization: string | undefined): Record<string, string> {
  return authorization === undefined ? {} : { 'Proxy-Authorization': authorization };
}

/** RFC 9110 15.6: 504 is a timeout behind the proxy, other 5xx are troubles there; the rest is its own no. */
function reasonOf(status: number): 'timedOut' | 'broken' | 'siteProxy' {
  return status === 504 ? 'timedOut' : status >= 500 ? 'broken' : 'siteProxy';
}
