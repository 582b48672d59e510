import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayEffects, GatewayListeners, GatewayOptions, ModelHealth } from './gateway';
import { ModelClients, type StrangerLimits } from './modelClients';
import { ModelAgent, type ModelNetwork } from './modelConnection';
import { answerError } from './modelErrors';
import { type ExchangeLimits, type ModelExchange, passOn, type Provider } from './modelExchange';
import { isMeasuredSilence, saysTheSame } from './modelHealth';
import { ModelRecheck } from './modelRecheck';
import { judgeModelRequest } from './modelRequest';
import { showsToken } from './modelToken';
import { endWith } from './refusal';

export type ModelGatewayOptions = NonNullable<GatewayOptions['models']> & Pick<GatewayOptions, 'siteProxy'>;

export interface ModelGatewayLimits extends ExchangeLimits, StrangerLimits {
  /** requests that are under way */
  readonly exchanges: number;
  /** how long a client whose connection ends may go on sending */
  readonly lingerMilliseconds: number;
  /** after which a model that was not there is looked at again */
  readonly recheckMilliseconds: number;
}

/** Far above what agents do; a prompt with pictures has some megabytes. */
const modelLimits: ModelGatewayLimits = {
  bodyBytes: 64 * 1024 * 1024,
  silentMilliseconds: 30_000,
  connections: 512,
  exchanges: 256,
  lingerMilliseconds: 1_000,
  strangerMilliseconds: 10_000,
  recheckMilliseconds: 30_000,
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
 * on; no redirect is followed. At its start it looks whether the first model is there, and tells that as well; it looks
 * again at those that are not there.
 * @param differentLimits for tests: what differs from {@link modelLimits}
 * @throws what listening throws, for example EADDRINUSE
 */
export async function createModelGateway(
  options: ModelGatewayOptions,
  effects: GatewayEffects,
  { onModel }: Pick<GatewayListeners, 'onModel'>,
  differentLimits: Partial<ModelGatewayLimits> = {},
): Promise<ModelGateway> {
  const limits = { ...modelLimits, ...differentLimits };
  const network: ModelNetwork = { effects, ...(options.siteProxy && { siteProxy: options.siteProxy }) };
  const providers = new Map(
    options.upstreams.map((upstream): [string, Provider] => [
      upstream.providerId,
      { upstream, agent: new ModelAgent(upstream.baseUrl, network) },
    ]),
  );
  const news = onlyNews(onModel);
  const tell = (health: ModelHealth): void => {
    const provider = providers.get(health.providerId);
    if (provider) recheck.heard(provider.upstream, health);
    news.tell(health);
  };
  const isBusy = (providerId: string): boolean =>
    Object.keys(providers.get(providerId)?.agent.sockets ?? {}).length > 0;
  const recheck = new ModelRecheck(network, limits.recheckMilliseconds, isBusy, tell);
  const server = createHttpServer();
  server.maxConnections = limits.connections;
  const clients = new ModelClients(server, limits);
  const handle: Handler = (incoming, response) =>
    // what was silent is looked at again all the same: `recheck` does not hear of it
    answer(providers, incoming, response, { limits, onHealth: tell, onSilenceLeft: news.restore });
  guard(server, options.token, clients, limits.lingerMilliseconds, atMost(limits.exchanges, handle));
  await listen(server, options.listen);
  const [first] = options.upstreams;
  if (first) recheck.check(first);
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : undefined,
    async close() {
      recheck.close();
      const closed = new Promise((resolve) => server.close(resolve));
      clients.destroy();
      for (const { agent } of providers.values()) agent.destroy();
      await closed;
    },
  };
}

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

function createHttpServer(): Server {
  return createServer({
    headersTimeout: headMilliseconds,
    keepAliveTimeout: idleMilliseconds,
    // a model that reads slowly makes the client send slowly, for as long as that takes
    requestTimeout: 0,
    noDelay: true,
  });
}

/** Looks at nothing but the token, before it has seen that. */
function guard(
  server: Server,
  token: string,
  clients: ModelClients,
  lingerMilliseconds: number,
  handle: Handler,
): void {
  const isKnown = ({ rawHeaders, socket }: IncomingMessage): boolean => {
    const isShown = showsToken(rawHeaders, token);
    if (isShown) clients.know(socket);
    return isShown;
  };
  const guarded: Handler = (incoming, response) => {
    if (!clients.begin(incoming.socket, response)) return;
    if (!isKnown(incoming)) {
      return answerError(response, 401, 'This is the key of no sandbox.', { Connection: 'close' });
    }
    try {
      handle(incoming, response);
    } catch {
      // one request never ends the gateway
      incoming.socket.destroy();
    }
  };
  server.on('request', guarded);
  server.on('checkContinue', guarded);
  server.on('checkExpectation', guarded);
  // CONNECT: there is no response to it in node:http
  server.on('connect', (incoming, client) => {
    const status = isKnown(incoming) ? '405 Method Not Allowed' : '401 Unauthorized';
    const bytes = Buffer.from(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    client.on('error', () => undefined);
    endWith(client as Socket, bytes, lingerMilliseconds);
  });
}

/** Refuses what comes while so many are under way. */
function atMost(most: number, handle: Handler): Handler {
  let underWay = 0;
  return (incoming, response) => {
    if (underWay >= most) {
      return answerError(
        response,
        503,
        `The sandbox has ${most} requests to models under way; try again later.`,
      );
    }
    underWay += 1;
    response.once('close', () => (underWay -= 1));
    handle(incoming, response);
  };
}

function answer(
  providers: ReadonlyMap<string, Provider>,
  incoming: IncomingMessage,
  response: ServerResponse,
  rest: Pick<ModelExchange, 'limits' | 'onHealth' | 'onSilenceLeft'>,
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
  passOn({ provider, path: judged.path, incoming, response, ...rest });
}

interface News {
  readonly tell: (health: ModelHealth) => void;
  /** Tells again what was known before silences were measured. */
  readonly restore: (providerId: string) => void;
}

/** Leaves out what was told a moment ago. */
function onlyNews(onModel: GatewayListeners['onModel']): News {
  const told = new Map<string, ModelHealth>();
  const known = new Map<string, ModelHealth>();
  const tell = (health: ModelHealth): void => {
    const last = told.get(health.providerId);
    if (!isMeasuredSilence(health)) known.set(health.providerId, health);
    if (last !== undefined && saysTheSame(last, health) && health.time - last.time < repeatMilliseconds)
      return;
    told.set(health.providerId, health);
    onModel(health);
  };
  const restore = (providerId: string): void =>
    tell({ ...(known.get(providerId) ?? { providerId, state: 'unknown' }), time: Date.now() });
  return { tell, restore };
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
