import { chmod } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Attempt } from './attempt';
import { isOnList, judgeAddresses } from './decision';
import { type EgressLimits, egressLimits } from './egressLimits';
import { forwardRequest, type PlainExchange } from './forwardRequest';
import type { GatewayEffects, NetworkEntry, NetworkReason } from './gateway';
import { formatHostEntry, type HostEntry, hostEntryFor, parseHostEntry } from './hostEntry';
import { readPlainRequest } from './plainRequest';
import { answerRefusal, Refusal, refusalOf, writeRefusal } from './refusal';
import { openRoute, type Route, type RouteOptions } from './route';
import type { SiteProxyWithAuthorization } from './siteProxy';
import { type Target, targetOfAuthority, targetOfUrl } from './target';
import { endTunnel, runTunnel, waitForTunnel } from './tunnel';

export interface EgressProxyOptions {
  /** path of the unix socket, in a folder that is the user's alone */
  readonly socket: string;
  /** entries as `hostEntry.ts` writes them */
  readonly allowedHosts: readonly string[];
  readonly siteProxy?: SiteProxyWithAuthorization;
  /** for tests: what differs from {@link egressLimits} */
  readonly limits?: Partial<EgressLimits>;
}

/** A running proxy. */
export interface EgressProxy {
  /** Replaces the list, and ends what it does not allow any more. @throws UserError for an entry that is none */
  setAllowedHosts(hosts: readonly string[]): void;
  /** Ends all connections and removes the socket. */
  close(): Promise<void>;
}

/**
 * Starts the HTTP proxy through which a sandbox reaches allowed hosts and nothing else: TLS in CONNECT tunnels, and
 * plain HTTP. Resolves when it listens.
 * @param onNetwork hears of every attempt, and again whenever it has changed
 * @throws UserError for an entry that is none, and what listening throws
 */
export async function createEgressProxy(
  options: EgressProxyOptions,
  effects: GatewayEffects,
  onNetwork: (entry: NetworkEntry) => void,
): Promise<EgressProxy> {
  const proxy = new RunningProxy(options, effects, onNetwork);
  await proxy.listen(options.socket);
  return proxy;
}

class RunningProxy implements EgressProxy {
  private readonly limits: EgressLimits;
  private readonly routeOptions: RouteOptions;
  private readonly server: Server;
  private readonly clients = new Set<Socket>();
  private readonly attempts = new Map<Attempt, Target>();
  private entries: readonly HostEntry[];
  private lastId = 0;

  constructor(
    options: EgressProxyOptions,
    effects: GatewayEffects,
    private readonly onNetwork: (entry: NetworkEntry) => void,
  ) {
    const { siteProxy, allowedHosts } = options;
    this.entries = allowedHosts.map(parseHostEntry);
    this.limits = { ...egressLimits, ...options.limits };
    this.routeOptions = {
      effects,
      limits: this.limits,
      entries: () => this.entries,
      ...(siteProxy ? { siteProxy } : {}),
    };
    this.server = createHttpServer(this.limits);
    this.server.on('connection', (client: Socket) => {
      this.clients.add(client);
      client.once('close', () => this.clients.delete(client));
    });
    this.server.on('connect', (request, client, head) =>
      containing(client as Socket, () => this.tunnel(request, client as Socket, head)),
    );
    this.server.on('request', (incoming, response) =>
      containing(incoming.socket, () => this.plain({ incoming, response, expectsContinue: false })),
    );
    this.server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) =>
      containing(incoming.socket, () => this.plain({ incoming, response, expectsContinue: true })),
    );
  }

  async listen(socket: string): Promise<void> {
    this.server.listen(socket);
    await once(this.server, 'listening');
    await chmod(socket, 0o600);
  }

  setAllowedHosts(hosts: readonly string[]): void {
    this.entries = hosts.map(parseHostEntry);
    this.attempts.forEach((target, attempt) => this.judgeAgain(attempt, target));
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.attempts.forEach((_, attempt) => attempt.abort('broken'));
    this.clients.forEach((client) => client.destroy());
    await closed;
  }

  private async tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const written = request.url ?? '';
    const target = targetOfAuthority(written);
    const attempt = this.begin('tunnel', target, written);
    const waiting = waitForTunnel(client, head, attempt);
    let isOpen = false;
    // an error is followed by close, which is what counts
    client.on('error', () => undefined);
    await this.run(attempt, target ?? 'malformed', {
      go: async ({ socket }, to) => {
        isOpen = true;
        await runTunnel(client, waiting.take(), socket, to, attempt, this.limits);
      },
      refuse: (reason) => {
        waiting.take();
        if (isOpen) endTunnel(client, reason, this.limits.linger);
        else writeRefusal(client, reason, shown(target), this.limits.linger);
      },
    });
  }

  private async plain({ incoming, response, expectsContinue }: PlainExchange): Promise<void> {
    const written = incoming.url ?? '';
    const request = readPlainRequest(incoming);
    const target = targetOfUrl(written)?.target;
    const attempt = this.begin('plain', target, written);
    response.once('close', () => attempt.abort('broken'));
    await this.run(attempt, typeof request === 'string' ? request : request.target, {
      go: async (route) => {
        if (typeof request === 'string') return;
        await forwardRequest(request, { incoming, response, expectsContinue }, route, attempt, this.limits);
      },
      refuse: (reason) => {
        if (response.headersSent) response.destroy();
        else answerRefusal(response, reason, shown(target));
      },
    });
  }

  /** The address counts as well: it may have been allowed only because it was on the list itself. */
  private judgeAgain(attempt: Attempt, target: Target): void {
    const { address } = attempt;
    if (!isOnList(target, this.entries)) attempt.abort('notAllowed');
    else if (address !== undefined && judgeAddresses(target, [address], this.entries).usable.length === 0) {
      attempt.abort('privateAddress', address);
    }
  }

  private begin(kind: NetworkEntry['kind'], target: Target | undefined, written: string): Attempt {
    const what = { id: ++this.lastId, host: target?.host ?? written, port: target?.port ?? 0, kind };
    return new Attempt(what, this.onNetwork, this.limits.lifetime);
  }

  /** @param target where it leads, or why it leads nowhere */
  private async run(attempt: Attempt, target: Target | NetworkReason, { go, refuse }: Steps): Promise<void> {
    let route: Route | undefined;
    try {
      if (typeof target === 'string') throw new Refusal(target);
      if (this.attempts.size >= this.limits.attempts) throw new Refusal('tooManyConnections');
      this.attempts.set(attempt, target);
      route = await openRoute(target, attempt.kind, this.routeOptions, attempt.signal);
      const { socket, address } = route;
      attempt.address = address;
      // the list may have changed while it was connecting
      this.judgeAgain(attempt, target);
      attempt.signal.addEventListener('abort', () => socket.destroy());
      attempt.signal.throwIfAborted();
      await go(route, target);
      attempt.ended();
    } catch (error) {
      const refusal = refusalOf(attempt.signal.aborted ? attempt.signal.reason : error);
      attempt.refused(refusal);
      refuse(refusal.reason);
    } finally {
      route?.socket.destroy();
      this.attempts.delete(attempt);
    }
  }
}

/** Whatever goes wrong with one client ends its connection, and never the gateway. */
function containing(client: Socket, serve: () => Promise<void>): void {
  serve().catch(() => client.destroy());
}

/** What happens once there is a way, and when there is none. */
interface Steps {
  readonly go: (route: Route, target: Target) => Promise<void>;
  readonly refuse: (reason: NetworkReason) => void;
}

/** As the agent should name it to the user. */
function shown(target: Target | undefined): string {
  return target ? formatHostEntry(hostEntryFor(target.host, target.port)) : '';
}

function createHttpServer(limits: EgressLimits): Server {
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.head,
    requestTimeout: limits.request,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: limits.checkInterval,
  });
  server.maxConnections = limits.connections;
  // their bytes are counted; those above a number would be dropped without a word
  server.maxHeadersCount = 0;
  return server;
}
