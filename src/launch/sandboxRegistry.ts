import { setTimeout as delay } from 'node:timers/promises';
import type { NetworkEntry } from '../gateway/gateway';
import { message } from '../sandbox/message';
import type { SandboxEnd } from '../supervisor/protocol';
import type { ConnectOptions } from './connect';
import { SandboxConnector, usableConnection, type Connect } from './sandboxConnector';
import { SandboxDiscovery, type DiscoveryOptions } from './sandboxDiscovery';
import { SandboxList, type KnownSandbox } from './sandboxList';

export type { KnownSandbox } from './sandboxList';

export interface RegistryOptions extends DiscoveryOptions {
  readonly connect: Connect;
  /**
   * ends a sandbox, also one whose supervisor does not answer, and returns how it ended; undefined when it is not
   * entered any more
   */
  readonly end: (id: string) => Promise<SandboxEnd | undefined>;
  /** what the process of a sandbox has noted when it could not go on, if anything */
  readonly readCrash: (id: string) => Promise<string | undefined>;
}

/** A process that is killed closes its sockets a moment before it is gone. */
const dyingMilliseconds = 200;

const supervisorKilled = message(
  'The process that keeps the sandbox was killed. The sandbox has been ended with it.',
);

/**
 * The sandboxes of one window. It keeps a connection of its own to each, apart from those of the terminals, so that
 * the state of a sandbox is known whether or not somebody looks at it. One that lives but does not answer is on the
 * list too, without a verdict, and can be stopped.
 */
export class SandboxRegistry {
  private readonly sandboxes: SandboxList;
  private readonly connector: SandboxConnector;
  private readonly discovery: SandboxDiscovery;
  /** being ended by this window: a connection that is lost now is no surprise */
  private readonly stopping = new Set<string>();

  constructor(private readonly options: RegistryOptions) {
    const { connect, log } = options;
    this.sandboxes = new SandboxList(log);
    this.connector = new SandboxConnector(this.sandboxes, connect, {
      log,
      onLost: (sandbox) => this.discovery.retryAfterFailure(this.afterLoss(sandbox)),
    });
    this.discovery = new SandboxDiscovery(this.sandboxes, this.connector, options);
  }

  /** All sandboxes, the oldest first. */
  list(): readonly KnownSandbox[] {
    return this.sandboxes.all();
  }

  /** Those that have not ended. */
  running(): readonly KnownSandbox[] {
    return this.list().filter(({ status }) => status.phase !== 'ended');
  }

  /** Whether this window knows that a sandbox is over. */
  hasEnded(id: string): boolean {
    return this.sandboxes.hasEnded(id);
  }

  /** Calls `listener` after every change of the list or of a status, for as long as the registry lives. */
  onChange(listener: () => void): void {
    this.sandboxes.changes.add(listener);
  }

  /** Calls `listener` for every sandbox that did not answer when it was looked for, and does now. */
  onAnswered(listener: (sandbox: KnownSandbox) => void): void {
    this.discovery.answered.add(listener);
  }

  /** Calls `listener` once for every sandbox that ends while this window knows it. */
  onEnd(listener: (sandbox: KnownSandbox, end: SandboxEnd) => void): void {
    this.sandboxes.ends.add(listener);
  }

  /** Calls `listener` once for every sandbox in which a program wanted to use the clipboard and was not let. */
  onClipboardHeld(listener: (sandbox: KnownSandbox) => void): void {
    this.connector.clipboardHeld.add(listener);
  }

  /** Calls `listener` for everything that a sandbox tries to reach, when that is decided and again when it is over. */
  onNetwork(listener: (sandbox: KnownSandbox, entry: NetworkEntry) => void): void {
    this.connector.network.add(listener);
  }

  /**
   * What a sandbox tried to reach so far, the oldest first; empty when that can't be asked: it has ended, is not
   * known, does not answer, or is of another version.
   * @throws UserError when the connection is lost meanwhile
   */
  async networkLog(id: string): Promise<readonly NetworkEntry[]> {
    const known = this.sandboxes.get(id);
    return !known?.connection || known.problem ? [] : known.connection.networkLog();
  }

  /**
   * Replaces the hosts that a running sandbox may reach.
   * @throws UserError `sandbox.ended`, `supervisor.notAnswering`, `supervisor.otherVersion`
   */
  async setAllowedHosts(id: string, hosts: readonly string[]): Promise<void> {
    await usableConnection(this.sandboxes.get(id)).setAllowedHosts(hosts);
  }

  /**
   * Lets a sandbox begin whose files could not be noted (yet).
   * @throws UserError as {@link setAllowedHosts}
   */
  async startWithoutUndo(id: string): Promise<void> {
    await usableConnection(this.sandboxes.get(id)).startWithoutUndo();
  }

  /**
   * Connects to the supervisor at this socket. A sandbox that is known already is not connected to twice.
   * @throws UserError when nobody answers
   */
  adopt(socket: string, options?: ConnectOptions): Promise<KnownSandbox> {
    return this.connector.adopt(socket, options);
  }

  /**
   * Connects to every live sandbox of this window's folders and returns those that were not connected before. Those
   * that do not answer are listed as well; those that are gone are not any more.
   */
  discover(): Promise<readonly KnownSandbox[]> {
    return this.discovery.discover();
  }

  /**
   * Ends a sandbox, whether or not its supervisor answers; resolves when nothing of it is left. Does nothing for one
   * that has ended.
   * @throws UserError when something of it may be left
   */
  async stop(id: string): Promise<void> {
    if (this.sandboxes.hasEnded(id)) {
      return;
    }
    this.stopping.add(id);
    try {
      this.stopped(id, await this.options.end(id));
    } catch (error) {
      // it may have ended by itself at the same moment
      if (!this.sandboxes.hasEnded(id)) {
        this.discovery.retryLater();
        throw error;
      }
    } finally {
      this.stopping.delete(id);
    }
  }

  /** Somebody has read the report on all of them: those that have ended need not be warned of any more. */
  acknowledgeEnds(): void {
    this.sandboxes.acknowledgeEnds();
  }

  /** Takes a sandbox that has ended off the list. */
  forget(id: string): void {
    this.sandboxes.forget(id);
  }

  /** Lets go of all sandboxes without ending any. */
  dispose(): void {
    this.discovery.dispose();
    this.sandboxes.dispose();
  }

  /** Finds the sandbox again, or tells that it ended with its supervisor. */
  private async afterLoss(sandbox: KnownSandbox): Promise<void> {
    const { id } = sandbox.summary;
    await delay(dyingMilliseconds);
    await this.discover();
    const isExplained = this.stopping.has(id) || this.sandboxes.get(id) || this.sandboxes.hasEnded(id);
    if (!this.sandboxes.isDisposed && !isExplained) {
      const crash = await this.options.readCrash(id);
      if (crash !== undefined) this.options.log(`[${id}] The process of the sandbox has failed: ${crash}`);
      this.sandboxes.finish(
        { ...sandbox, connection: undefined },
        { reason: 'failed', explanation: supervisorKilled },
      );
    }
  }

  /** The word that a sandbox has ended may not have come yet over its own connection, or nobody is there to say it. */
  private stopped(id: string, end: SandboxEnd | undefined): void {
    const known = this.sandboxes.get(id);
    if (!known || this.sandboxes.hasEnded(id)) {
      return;
    }
    if (end) {
      // what another version means by its words is not known
      this.sandboxes.finish(known, known.problem ? { reason: 'stopped' } : end);
    } else if (!known.connection) {
      this.sandboxes.drop(id);
    }
  }
}
