import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import type {
  Gateway,
  GatewayListeners,
  GatewayOptions,
  ModelHealth,
  NetworkEntry,
} from '../gateway/gateway';
import { parseHostEntry } from '../gateway/hostEntry';
import { NetworkLog } from '../gateway/networkLog';
import { signedUpstream } from '../gateway/signedUpstream';
import { randomHex } from '../host/random';
import { withModelGateway } from '../opencode/managedConfiguration';
import { hasEgress, hasModels, insidePorts } from '../sandbox/gatewayPlan';
import type { SandboxSecrets } from '../sandbox/networkAccess';
import type { RunDirectory } from '../sandbox/runDirectory';
import type { SandboxSpecification } from '../sandbox/specification';
import { startGatewayThread } from './gatewayThread';
import type { ReachedHost, SandboxReach } from './protocol';
import { reachedHosts } from './reachedHosts';

/** How a gateway is started; tests run it in their own thread, where loopback can stand for the world. */
export type StartGateway = (options: GatewayOptions, listeners: GatewayListeners) => Promise<Gateway>;

interface SandboxGatewayEvents {
  /** attempts to reach something, new ones and changed ones */
  network: [readonly NetworkEntry[]];
  models: [readonly ModelHealth[]];
  /** what it lets through has changed */
  reach: [];
  /** it can't go on */
  failure: [Error];
}

/** Hosts that were denied, each once, in the order of the first time; hostile. */
export interface DeniedHosts {
  readonly hosts: readonly string[];
  /** how many further ones there were; from 10,000 on it means that or more */
  readonly leftOff: number;
}

/** 256 bits, in hexadecimal digits: what the sandbox presents to its gateway in the place of a key. */
function newToken(): string {
  return randomHex(32);
}

/** The gateway of one sandbox: started with it, told to opencode, ended with it. */
export class SandboxGateway extends EventEmitter<SandboxGatewayEvents> {
  private readonly log = new NetworkLog();
  private readonly health = new Map<string, ModelHealth>();
  private readonly token = newToken();
  private readonly started: Promise<Gateway | undefined>;
  private latestHosts: readonly string[] = [];
  private hosts: readonly ReachedHost[];

  constructor(
    private readonly specification: SandboxSpecification,
    private readonly run: RunDirectory,
    secrets: SandboxSecrets,
    start: StartGateway = startGatewayThread,
  ) {
    super();
    const options = gatewayOptions(specification, run, secrets, this.token);
    this.hosts = reachedHosts([], options?.egress?.allowedHosts ?? [], Date.now());
    this.started = options ? start(options, this.gatewayListeners()) : Promise.resolve(undefined);
    this.started.catch((error: unknown) => {
      this.emit('failure', error instanceof Error ? error : new Error(String(error)));
    });
  }

  /** Resolves when the gateway listens and opencode is told where. @throws Error when it can't */
  async prepare(): Promise<void> {
    const gateway = await this.started;
    if (!gateway || !hasModels(this.specification)) return;
    const { access, opencodeConfiguration, network } = this.specification;
    const port = network === 'open' ? gateway.modelPort : insidePorts.models;
    if (port === undefined) throw new Error('the gateway has no port for the models');
    const configuration = withModelGateway(opencodeConfiguration, access.models, {
      baseUrl: `http://127.0.0.1:${port}`,
      token: this.token,
    });
    writeFileSync(`${this.run.opencodeConfiguration}/opencode.json`, JSON.stringify(configuration), {
      mode: 0o600,
    });
  }

  /** The latest attempts, the oldest first. */
  entries(): readonly NetworkEntry[] {
    return this.log.entries();
  }

  /** The hosts that were denied, for the record. */
  deniedHosts(): DeniedHosts {
    return { hosts: this.log.deniedHosts(), leftOff: this.log.deniedHostsLeftOff() };
  }

  /** What it lets through now. */
  reach(): SandboxReach {
    const { models, siteProxy } = this.specification.access;
    return {
      hosts: this.hosts,
      models: models.map(({ providerId, baseUrl }) => ({ providerId, baseUrl })),
      ...(siteProxy && { siteProxy: siteProxy.url }),
    };
  }

  /** How the models are doing, as far as known. */
  models(): readonly ModelHealth[] {
    return [...this.health.values()];
  }

  /**
   * Replaces the list; also while the gateway is only being started.
   * @throws UserError for an entry that is none
   */
  async setAllowedHosts(hosts: readonly string[]): Promise<void> {
    hosts.forEach(parseHostEntry);
    this.latestHosts = hosts;
    const gateway = await this.started;
    // a list that came meanwhile is the one that counts
    gateway?.setAllowedHosts(this.latestHosts);
    if (hasEgress(this.specification)) {
      this.hosts = reachedHosts(this.hosts, this.latestHosts, Date.now());
      this.emit('reach');
    }
  }

  /** Ends all its connections; resolves when nobody is listened to any more. */
  async close(): Promise<void> {
    const gateway = await this.started.catch(() => undefined);
    await gateway?.close();
  }

  private gatewayListeners(): GatewayListeners {
    return {
      onNetwork: (entries) => {
        entries.forEach((entry) => this.log.record(entry));
        this.emit('network', entries);
      },
      onModel: (health) => {
        this.health.set(health.providerId, health);
        this.emit('models', this.models());
      },
      onFailure: (error) => this.emit('failure', error),
    };
  }
}

/** What a gateway has to do for a sandbox; undefined when there is nothing. */
function gatewayOptions(
  specification: SandboxSpecification,
  run: RunDirectory,
  secrets: SandboxSecrets,
  token: string,
): GatewayOptions | undefined {
  const { access, network } = specification;
  if (!hasEgress(specification) && !hasModels(specification)) return undefined;
  const authorization = secrets.siteProxyAuthorization;
  const upstreams = access.models.map((model) => signedUpstream(model, secrets));
  const listen = network === 'open' ? 'loopback' : { socket: run.modelSocket };
  return {
    ...(hasEgress(specification) && {
      egress: { socket: run.egressSocket, allowedHosts: access.allowedHosts },
    }),
    ...(hasModels(specification) && { models: { listen, token, upstreams } }),
    ...(access.siteProxy && {
      siteProxy: { ...access.siteProxy, ...(authorization !== undefined && { authorization }) },
    }),
  };
}
