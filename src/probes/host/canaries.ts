import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hostExecutedFiles } from '../groups/hostExecuted';
import { serviceVariables } from '../groups/read';
import type { Plan } from '../plan';
import { probes } from '../probes';
import type { SecretName } from '../seen';
import { Doors, ownAddresses, type OwnAddresses } from './doors';
import { HostProcess, HostQueue } from './hostProcess';
import { canaryProvider, ModelCanary } from './modelCanary';
import { makeSecrets, tryWritePrivate, writePrivate } from './secretFiles';
import { homePrefix, placesOf, removeEach, removeForgotten, rootPrefix, type Surroundings } from './removal';
import { otherHomes, resolverSockets } from './commonPlaces';
import { plantKey, type PlantedKey } from './sessionKey';

/** By this door the gateway must let through. */
const controlId = 'network.control';

/**
 * Everything that is hidden on the host for one run of the battery, in private places, and the workspace in which it
 * runs. `remove` takes all of it away again.
 */
export class Canaries {
  readonly token = randomBytes(8).toString('hex');
  private readonly allSecrets = makeSecrets();
  private readonly missing = new Set<SecretName>(['control', 'descriptor']);
  private readonly temporary = join('/tmp', this.allSecrets.temporaryName);
  private own: OwnAddresses = { hostAddress: undefined, hostName: undefined, namedAddress: undefined };
  private doorsOpened: Doors | undefined;
  private hostProcess: HostProcess | undefined;
  private queue: HostQueue | undefined;
  private key: PlantedKey | undefined;
  private modelServer: ModelCanary | undefined;
  private runtimeSecret: string | undefined;
  private sharedMemorySecret: string | undefined;
  private controlPort = '';
  /** holds the workspace and what is beside it */
  readonly root: string;
  readonly workspace: string;
  private readonly home: string;

  private constructor(private readonly options: Surroundings) {
    this.root = realpathSync(mkdtempSync(join(placesOf(options).root, rootPrefix)));
    this.workspace = join(this.root, 'workspace');
    this.home = join(realpathSync(placesOf(options).home), `${homePrefix}${this.token}`);
  }

  /** @throws what the file system says when there is no room or no right */
  static async plant(options: Surroundings): Promise<Canaries> {
    await removeForgotten(options);
    const canaries = new Canaries(options);
    try {
      canaries.hideFiles();
      await canaries.openDoors();
      return canaries;
    } catch (error) {
      await canaries.remove();
      throw error;
    }
  }

  /** What is hidden, as far as it could be. */
  get secrets(): Partial<Record<SecretName, string>> {
    const planted = Object.entries(this.allSecrets).filter(([name]) => !this.missing.has(name as SecretName));
    return Object.fromEntries(planted);
  }

  get doors(): Doors {
    return required(this.doorsOpened);
  }

  get host(): HostProcess {
    return required(this.hostProcess);
  }

  get model(): ModelCanary {
    return required(this.modelServer);
  }

  get hasMessages(): boolean {
    return this.queue?.hasMessages === true;
  }

  /** A key that must never get in. */
  get modelKey(): string {
    return this.allSecrets.modelKey;
  }

  /** Entries for the gateway's list: what must get through, and a name that must not lead where it leads. */
  get allowedHosts(): string[] {
    const named = this.doors.addresses['network.proxyPrivateName'];
    const { hostName } = this.own;
    return [
      `127.0.0.1:${this.controlPort}`,
      ...(named === undefined || hostName === undefined ? [] : [`${hostName}:${named}`]),
    ];
  }

  /** The user's environment with everything in it that could weaken a sandbox or give something away. */
  get environment(): Record<string, string> {
    const { variable, apptainerVariable, singularityVariable, proxyPassword, apiToken } = this.allSecrets;
    const proxy = `http://user:${proxyPassword}@127.0.0.1:9/`;
    const services = Object.entries(serviceVariables).map(([id, name]) => {
      const path = this.doors.addresses[id] ?? '';
      return [name, name === 'DBUS_SESSION_BUS_ADDRESS' ? `unix:path=${path}` : socketAddress(name, path)];
    });
    return {
      ...(Object.fromEntries(services) as Record<string, string>),
      SANDBOX_PROBE: variable,
      APPTAINERENV_SANDBOX_PROBE_A: apptainerVariable,
      SINGULARITYENV_SANDBOX_PROBE_S: singularityVariable,
      APPTAINER_ENV_FILE: join(this.root, 'variables'),
      APPTAINER_BIND: `${join(this.root, 'bound')}:/mnt`,
      SINGULARITY_BINDPATH: `${join(this.root, 'mounted')}:/srv`,
      ...{ http_proxy: proxy, HTTP_PROXY: proxy, https_proxy: proxy, HTTPS_PROXY: proxy },
      ...{ OPENAI_API_KEY: apiToken, GITHUB_TOKEN: apiToken },
      XAUTHORITY: join(this.root, 'xauthority'),
    };
  }

  /** Says that a further secret was hidden, by whoever could. */
  planted(name: SecretName): string {
    this.missing.delete(name);
    return this.allSecrets[name];
  }

  /** Says that a secret was not hidden after all. */
  withhold(name: SecretName): void {
    this.missing.add(name);
  }

  /** A folder with a secret that a descriptor can be opened on. */
  get descriptorFolder(): string {
    return join(this.root, 'descriptor');
  }

  /** What the inside part is told. */
  plan(about: Pick<Plan, 'agentHome' | 'image' | 'modelProvider' | 'mayTryRoutes'>): Plan {
    const { token, workspace, home, root, own } = this;
    return {
      ...{ token, workspace, home, ...about },
      uid: process.getuid?.() ?? 0,
      sibling: join(root, 'sibling'),
      absent: absentPaths(token),
      otherHomes: otherHomes(dirname(home)),
      resolverSockets: resolverSockets(),
      ...{ runtimeSecret: this.runtimeSecret, sharedMemorySecret: this.sharedMemorySecret },
      xAuthority: join(root, 'xauthority'),
      hostPid: this.host.pid,
      keySerial: this.key?.serial,
      messageQueue: this.queue?.id,
      ...{ hostAddress: own.hostAddress, hostName: own.hostName },
      doors: this.doors.addresses,
      controlPort: this.controlPort,
    };
  }

  /** Takes everything away again; nothing that fails keeps the rest from being removed. */
  async remove(): Promise<void> {
    this.doorsOpened?.close();
    this.modelServer?.close();
    this.hostProcess?.end();
    this.queue?.remove();
    this.key?.remove();
    const { tmp, varTmp, shm } = absentPaths(this.token);
    const { temporary, runtimeSecret, sharedMemorySecret, home, root } = this;
    await removeEach([temporary, tmp, varTmp, shm, runtimeSecret, sharedMemorySecret, home, root]);
  }

  private hideFiles(): void {
    const { root, home, allSecrets: secrets, workspace } = this;
    writePrivate({
      [join(home, 'secret.txt')]: secrets.home,
      [join(home, 'victim.txt')]: 'unchanged\n',
      [join(home, secrets.homeName)]: '',
      [join(root, 'sibling', 'secret.txt')]: secrets.sibling,
      [join(root, 'bound', 'secret.txt')]: secrets.bound,
      [join(root, 'mounted', 'secret.txt')]: secrets.mounted,
      [join(root, 'descriptor', 'secret.txt')]: secrets.descriptor,
      [join(root, 'xauthority')]: secrets.xAuthority,
      [join(root, 'variables')]: `SANDBOX_PROBE_F=${secrets.environmentFile}\n`,
      [join(workspace, 'program')]: '#!/bin/sh\n',
      ...Object.fromEntries(
        Object.entries(hostExecutedFiles).map(([path, content]) => [join(workspace, path), content]),
      ),
    });
    mkdirSync(this.temporary, { mode: 0o700 });
    const name = `sandbox-probe-${this.token}-secret`;
    this.runtimeSecret = tryWritePrivate(this.options.environment['XDG_RUNTIME_DIR'], name, secrets.runtime);
    this.sharedMemorySecret = tryWritePrivate('/dev/shm', name, secrets.sharedMemory);
    if (this.runtimeSecret === undefined) this.missing.add('runtime');
    if (this.sharedMemorySecret === undefined) this.missing.add('sharedMemory');
  }

  private async openDoors(): Promise<void> {
    const { allSecrets: secrets } = this;
    this.own = ownAddresses();
    this.doorsOpened = await Doors.open(probes, this.home, this.token, this.own);
    this.controlPort = await this.doorsOpened.openControl(controlId);
    this.modelServer = await ModelCanary.open(secrets.modelKey);
    this.hostProcess = await HostProcess.start(this.home, {
      argument: secrets.processArguments,
      variable: secrets.processEnvironment,
    });
    this.queue = HostQueue.make();
    this.key = plantKey(secrets.keyring);
    if (!this.key) this.missing.add('keyring');
  }

  /** Whether the gateway let through what it should: by CONNECT and by a plain request. */
  get controlArrived(): boolean {
    return (this.doors.arrivals.get(controlId) ?? 0) >= 2;
  }
}

export { canaryProvider };

function socketAddress(name: string, path: string): string {
  return name === 'DOCKER_HOST' ? `unix://${path}` : path;
}

function absentPaths(token: string): Plan['absent'] {
  const name = `sandbox-probe-${token}`;
  return { tmp: `/tmp/${name}`, varTmp: `/var/tmp/${name}`, shm: `/dev/shm/${name}` };
}

function required<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('nothing was planted');
  return part;
}
