import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayEffects, GatewayListeners, GatewayOptions, ModelHealth } from './gateway';
import { checkModel } from './modelCheck';
import { ModelAgent, type ModelNetwork } from './modelConnection';
import { answerError } from './modelErrors';
import { type ExchangeLimits, passOn, type Provider } from './modelExchange';
import { saysTheSame } from './modelHealth';
import { judgeModelRequest } from './modelRequest';
import { showsToken } from './modelToken';

export type ModelGatewayOptions = NonNullable<GatewayOptions['models']> & Pick<GatewayOptions, 'siteProxy'>;

export interface ModelGatewayLimits extends ExchangeLimits {
  readonly connections: number;
}

/** Far above what agents do; a prompt with pictures has some megabytes. */
const usualLimits: ModelGatewayLimits = {
  bodyBytes: 64 * 1024 * 1024,
  silentMilliseconds: 30_000,
  connections: 512,
};

/** How long the head of a request may take, from the start of the connection. */
const headMilliseconds = 10_000;
/** How long a client may keep a connection without a request: longer than the pools of clients do. */
const idleMilliseconds = 65_000;
/** What was told is told again after this, so that it is known to hold still. */
const repeatMilliseconds = 10_000;

/** A running model gateway. */
export interface ModelGateway {
  /** on 127.0.0.1; undefined with a unix socket */
  readonly port: number | undefined;
  /** Ends all connections, on both sides, and removes the socket. */
  close(): Promise<void>;
}

/**
 * Serves the sandbox's requests to its models, and adds the keys: `http://127.0.0.1:PORT/PROVIDERID` is what the
 * sandbox takes for the base URL. Only who shows the token is served; only the paths of `modelRequest.ts` are passed
 * on; no redirect is followed. Once at its start it looks whether the models are there, and tells that as well.
 * @throws what listening throws, for example EADDRINUSE
 */
export async function createModelGateway(
  options: ModelGatewayOptions,
  effects: GatewayEffects,
  { onModel }: Pick<GatewayListeners, 'onModel'>,
  limits = usualLimits,
): Promise<ModelGateway> {
  const network: ModelNetwork = { effects, ...(options.siteProxy && { siteProxy: options.siteProxy }) };
  const providers = new Map(
    options.upstreams.map((upstream): [string, Provider] => [
      upstream.providerId,
      { upstream, agent: new ModelAgent(upstream.baseUrl, network) },
    ]),
  );
  const tell = onlyNews(onModel);
  const server = serve(options.token, (incoming, response) => {
    answer(providers, incoming, response, limits, tell);
  });
  server.maxConnections = limits.connections;
  await listen(server, options.listen);
  const closing = new AbortController();
  for (const { upstream } of providers.values()) {
    checkModel(upstream, network, closing.signal).then(
      ({ health }) => tell(health),
      () => undefined, // the gateway was closed
    );
  }
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : undefined,
    async close() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const { agent } of providers.values()) agent.destroy();
      await closed;
    },
  };
}

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

/** A server that looks at nothing but the token, before it has seen that. */
function serve(token: string, handle: Handler): Server {
  const guarded: Handler = (incoming, response) => {
    if (showsToken(incoming.rawHeaders, token)) return handle(incoming, response);
    answerError(response, 401, 'This is the key of no sandbox.', { Connection: 'close' });
  };
  const server = createServer({
    headersTimeout: headMilliseconds,
    keepAliveTimeout: idleMilliseconds,
    // a model that reads slowly makes the client send slowly, for as long as that takes
    requestTimeout: 0,
    noDelay: true,
  });
  server.on('request', guarded);
  server.on('checkContinue', guarded);
  server.on('checkExpectation', guarded);
  // CONNECT: there is no response to it in node:http
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    const status = showsToken(incoming.rawHeaders, token) ? '405 Method Not Allowed' : '401 Unauthorized';
    socket.on('error', () => undefined);
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  return server;
}

function answer(
  providers: ReadonlyMap<string, Provider>,
  incoming: IncomingMessage,
  response: ServerResponse,
  limits: ExchangeLimits,
  tell: (health: ModelHealth) => void,
): void {
  const { method = '', url = '', headers } = incoming;
  const judged = judgeModelRequest(method, url, (providerId) => providers.has(providerId));
  if ('status' in judged) {
    return answerError(response, judged.status, judged.reason, judged.allow ? { Allow: judged.allow } : {});
  }
  const provider = providers.get(judged.providerId);
  if (provider === undefined) return answerError(response, 404, 'The sandbox has no such provider.');
  if (headers.upgrade !== undefined) {
    return answerError(response, 403, 'The sandbox passes on no upgrades to another protocol.');
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    return answerError(response, 417, 'The sandbox knows no expectation but 100-continue.');
  }
  passOn({ provider, path: judged.path, incoming, response, limits, onHealth: tell });
}

/** Leaves out what was told a moment ago. */
function onlyNews(onModel: GatewayListeners['onModel']): (health: ModelHealth) => void {
  const told = new Map<string, ModelHealth>();
  return (health) => {
    const last = told.get(health.providerId);
    if (last !== undefined && saysTheSame(last, health) && health.time - last.time < repeatMilliseconds)
      return;
    told.set(health.providerId, health);
    onModel(health);
  };
}

async function listen(server: Server, where: ModelGatewayOptions['listen']): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (where === 'loopback') server.listen(0, '127.0.0.1', resolve);
    else server.listen(where.socket, resolve);
  });
  // its folder is closed to others already
  if (where !== 'loopback') await chmod(where.socket, 0o600);
}
