import { hostname } from 'node:os';
import { join } from 'node:path';
import { identifyProcess, readBootId, readMachineId } from '../host/processIdentity';
import { removeIndexEntry, writeIndexEntry, type SandboxIndexEntry } from '../host/sandboxIndex';
import { writtenFolders } from '../sandbox/agentHomes';
import type { SandboxSpecification } from '../sandbox/specification';

/** What of an entry comes to be known only while the sandbox starts. */
type GrowingPart = Partial<
  Pick<
    SandboxIndexEntry,
    | 'runDirectory'
    | 'temporaryFiles'
    | 'socket'
    | 'isStarting'
    | 'isOver'
    | 'homeLock'
    | 'reaper'
    | 'starter'
    | 'init'
  >
>;

/**
 * Keeps the entry of this supervisor's sandbox in the index: from before anything of it exists, so that it is found
 * and ended should this process be killed at any time, until nothing is left of it.
 */
export class IndexRegistration {
  private known: GrowingPart = { isStarting: true };
  private lastWrite: Promise<void> = Promise.resolve();
  /** has not begun, and will write all that is known then */
  private nextWrite: Promise<void> | undefined;
  private saidOver: Promise<void> | undefined;
  private isRemoved = false;

  constructor(
    private readonly specification: Pick<SandboxSpecification, 'id' | 'kind' | 'indexDirectory' | 'home'> & {
      readonly workspace: Pick<SandboxSpecification['workspace'], 'path'>;
    },
  ) {}

  /** The file of the entry. */
  get path(): string {
    const { id, indexDirectory } = this.specification;
    return join(indexDirectory, `${id}.json`);
  }

  /** Enters what is known now besides what was known. Resolves when it is on the disk; writes keep their order. */
  update(more: GrowingPart): Promise<void> {
    this.known = { ...this.known, ...more };
    this.nextWrite ??= this.lastWrite.then(() => {
      this.nextWrite = undefined;
      return this.write(this.known);
    });
    this.lastWrite = this.nextWrite.catch(() => undefined);
    return this.nextWrite;
  }

  /**
   * Says that the sandbox is over, before anybody is told: who hears of the end may start the next one at once. Never
   * throws: the entry goes a moment later in any case. Written once, whoever says it.
   */
  over(): Promise<void> {
    this.saidOver ??= this.update({ isOver: true }).catch(() => undefined);
    return this.saidOver;
  }

  /** Takes the entry out of the index, for good. */
  async remove(): Promise<void> {
    this.isRemoved = true;
    await this.lastWrite;
    await removeIndexEntry(this.specification.indexDirectory, this.specification.id);
  }

  private async write(known: GrowingPart): Promise<void> {
    if (this.isRemoved) {
      return;
    }
    const { id, indexDirectory, kind } = this.specification;
    const { homes, ...written } = writtenFolders(this.specification);
    const machineId = await readMachineId();
    await writeIndexEntry(indexDirectory, {
      id,
      kind,
      ...written,
      homes: [...homes],
      hostName: hostname(),
      bootId: await readBootId(),
      ...(machineId !== undefined && { machineId }),
      supervisorPid: process.pid,
      supervisorStartTime: identifyProcess(process.pid)?.startTime ?? '',
      runDirectory: '',
      socket: '',
      ...known,
    });
  }
}
