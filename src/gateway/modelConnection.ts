import { once, setMaxListeners } from 'node:events';
import { Agent, type ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { connectAny } from './connectAny';
import { egressLimits } from './egressLimits';
import { withDeadline } from './deadline';
import type { GatewayEffects } from './gateway';
import { normaliseHost } from './hostName';
import { Refusal } from './refusal';
import { secureContextTrusting } from './secureContext';
import { isException, type SiteProxyWithAuthorization } from './siteProxy';
import { connectToSiteProxy, openTunnel } from './siteProxyConnection';
import type { Target } from './target';

/** How a connection to a model gets there. */
export interface ModelNetwork {
  readonly effects: GatewayEffects;
  readonly siteProxy?: SiteProxyWithAuthorization;
}

/**
 * How long a connection that nobody uses is kept. Shorter than servers keep theirs (uvicorn, and so vLLM: 5 s), or a
 * request would now and then meet a connection that the server is just closing.
 */
const idleMilliseconds = 4000;

/** To one server, open or being opened; more than exchanges may be under way would serve nobody. */
const mostConnections = 256;

/** About as long as Linux goes on trying (tcp(7): tcp_syn_retries), so that a server that is far away counts as that. */
const limits = { ...egressLimits, connect: 120_000 };

/**
 * Keeps connections to one server of models. Each is checked as its URL says: for `https` the certificate must be
 * valid, for this host, and of an authority that Node, NODE_EXTRA_CA_CERTS or `effects.authorities` name. The user has
 * approved the server, so it may be on this computer or in a private network.
 */
export class ModelAgent extends Agent {
  readonly #target: Target;
  readonly #network: ModelNetwork;
  readonly #secureContext: SecureContext | undefined;
  readonly #closing = new AbortController();
  #opening = 0;

  /**
   * @param baseUrl as `normaliseModelAddress` gives it
   * @throws Error when it is not
   */
  constructor(baseUrl: string, network: ModelNetwork) {
    super({ keepAlive: true, timeout: idleMilliseconds, maxSockets: mostConnections });
    const { protocol, hostname, port } = new URL(baseUrl);
    const host = normaliseHost(hostname);
    if (host === undefined) throw new Error('the base URL of a model is not normalised');
    const isSecure = protocol === 'https:';
    this.#target = { ...host, port: Number(port || (isSecure ? 443 : 80)) };
    this.#network = network;
    // one for each connection that is being opened
    setMaxListeners(0, this.#closing.signal);
    this.#secureContext = isSecure ? secureContextTrusting(network.effects.authorities) : undefined;
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    // on an error there is no stream; Node's types do not know that
    const tell = callback as ((error: Error | null, stream?: Duplex) => void) | undefined;
    // the base class counts only those that are open; who asks and leaves would have any number on their way
    if (this.#opening >= mostConnections) {
      process.nextTick(() => tell?.(new Refusal('tooManyConnections')));
      return;
    }
    this.#opening += 1;
    this.#connect()
      .finally(() => (this.#opening -= 1))
      .then(
        (socket) => tell?.(null, socket),
        (error: unknown) => tell?.(error instanceof Error ? error : new Error(String(error))),
      );
  }

  override destroy(): void {
    this.#closing.abort(new Refusal('broken'));
    super.destroy();
  }

  /** A server or proxy that takes a connection and then says nothing must not hold its place for ever. */
  #connect(): Promise<Socket> {
    return withDeadline(limits.connect, this.#closing.signal, (signal) => this.#open(signal));
  }

  async #open(signal: AbortSignal): Promise<Socket> {
    const socket = await openConnection(this.#target, this.#network, signal);
    // a server that ends an idle connection ends it for us as well
    socket.allowHalfOpen = false;
    if (this.#secureContext === undefined) return socket;
    return startTls(socket, this.#target, this.#secureContext, signal);
  }
}

/** Through a proxy of the site always in a tunnel, so that no proxy sees a key. */
async function openConnection(
  target: Target,
  { effects, siteProxy }: ModelNetwork,
  signal: AbortSignal,
): Promise<Socket> {
  if (siteProxy !== undefined && !isException(target, siteProxy.exceptions)) {
    const socket = await connectToSiteProxy(siteProxy, effects, limits, signal);
    return openTunnel(socket, target, siteProxy, signal);
  }
  const addresses = target.kind === 'name' ? await effects.resolve(target.host) : [target.host];
  const { socket } = await connectAny(addresses, target.port, effects.connect, limits, signal);
  return socket;
}

async function startTls(
  socket: Socket,
  { kind, host }: Target,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    host,
    // RFC 6066, 3: never an address; a certificate is checked for `host` then
    ...(kind === 'name' ? { servername: host } : {}),
    secureContext,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    await once(secure, 'secureConnect', { signal });
    return secure;
  } catch (error) {
    secure.destroy();
    throw error;
  }
}
