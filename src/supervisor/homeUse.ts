import { setTimeout as delay } from 'node:timers/promises';
import { fileSystemKindOf } from '../host/fileSystemKind';
import { noteGoodEnd, noteHomeUse, ownHomeUse, type HomeUser } from '../host/homeFolder';
import { type HeldLock, homeLockPath, readHomeLock, releaseHomeLock, takeHomeLock } from '../host/homeLock';
import { databaseChangedTime } from '../opencode/sessions/databaseFiles';
import { message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';
import { isSettled, noteSettled, Settling } from './homeSettling';
import type { SandboxEnd, SandboxStatus } from './protocol';

const releaseMilliseconds = 2000;
/** A start may take 40 s in all, see `startSupervisor.ts`. */
const usualPatience = 25_000;
const pollMilliseconds = 100;

/** Of the program in a sandbox that was killed (128 + SIGKILL). */
const killedStatus = 137;

export interface HomeUseOptions {
  /** tells what a folder is on; tests have no network file system */
  readonly kindOf?: typeof fileSystemKindOf;
  readonly patienceMilliseconds?: number;
  /** how long opencode may run without having written anything */
  readonly settlingMilliseconds?: number;
}

/**
 * One sandbox's use of an agent's home, noted in extension storage, so that the next one knows whether this one has
 * ended well. Several sandboxes of one computer may use a home on its disk at the same time: opencode's database is
 * made for that, and `test/sandbox/sharedHome.long.test.ts` tries it. Where computers share the file system one sandbox at
 * a time may: SQLite's log needs shared memory, which there is none of between computers, and locks that often do not
 * work (https://www.sqlite.org/wal.html, opencode #14970, #43620).
 */
export class HomeUse {
  private settling: Settling | undefined;

  private constructor(
    private readonly specification: SandboxSpecification,
    private readonly own: HomeUser,
    private isLocked: boolean,
    /** when the database had been written last */
    private readonly changedBefore?: number,
    /** calls back when opencode has made its tables */
    private readonly settle?: (onSettled: () => void) => Settling,
  ) {}

  /**
   * Notes the use before it begins. Who comes while another sandbox of this computer makes opencode's tables waits.
   * @throws UserError `home.locked`, `home.busy`
   */
  static async begin(specification: SandboxSpecification, options: HomeUseOptions = {}): Promise<HomeUse> {
    const { kindOf = fileSystemKindOf, patienceMilliseconds = usualPatience, settlingMilliseconds } = options;
    const { id, kind, image, home, homeFolder } = specification;
    const own = await ownHomeUse(id);
    if (home.kind === 'memory' || homeFolder === undefined) return new HomeUse(specification, own, false);
    const { path } = home.folder;
    const isShared = (await kindOf(path)) === 'network';
    const patience = isShared ? releaseMilliseconds : patienceMilliseconds;
    let isTaken = false;
    const holder = await inTime(own, patience, async () => {
      isTaken = isShared || (kind !== 'shell' && !(await isSettled(homeFolder, path, image.identity)));
      return isTaken ? takeHomeLock(homeFolder, own) : readHomeLock(homeFolder);
    });
    if (holder) throw isShared ? homeLocked(path, holder, homeFolder) : homeBusy(path);
    try {
      await noteHomeUse(homeFolder, own);
    } catch (error) {
      if (isTaken) await releaseHomeLock(homeFolder, own);
      throw error;
    }
    // after that: whoever repairs a home takes the lock first and looks at its uses then
    const repairer = isTaken ? undefined : await readHomeLock(homeFolder);
    if (repairer) {
      await noteGoodEnd(homeFolder, id);
      throw homeBusy(path);
    }
    const before = await databaseChangedTime(path);
    const settle = (onSettled: () => void): Settling =>
      new Settling(path, before, onSettled, settlingMilliseconds);
    return new HomeUse(specification, own, isTaken, before, isTaken && !isShared ? settle : undefined);
  }

  /** The lock on the home, for whoever ends what is left of us. */
  get heldLock(): HeldLock | undefined {
    const { homeFolder } = this.specification;
    return this.isLocked && homeFolder !== undefined ? { folder: homeFolder, holder: this.own } : undefined;
  }

  /** Once the sandbox runs, whose gate may have waited for minutes, opencode makes its tables. */
  follow({ phase }: Pick<SandboxStatus, 'phase'>): void {
    if (phase !== 'running') return;
    this.settling ??= this.settle?.(() => {
      // what is not given back now is at the end, or by whoever finds that we are gone
      this.release().catch(() => undefined);
    });
  }

  /** Ends the use. @param end how the sandbox ended; undefined: nothing of the agent's ever ran */
  async end(end: SandboxEnd | undefined): Promise<void> {
    const { homeFolder } = this.specification;
    this.settling?.dispose();
    if (homeFolder === undefined) return;
    if (await this.isGood(end)) await noteGoodEnd(homeFolder, this.own.sandboxId);
    if (this.isLocked) await releaseHomeLock(homeFolder, this.own);
  }

  private async release(): Promise<void> {
    const { homeFolder, image } = this.specification;
    if (homeFolder === undefined) return;
    await noteSettled(homeFolder, image.identity);
    this.isLocked = false;
    await releaseHomeLock(homeFolder, this.own);
  }

  private async isGood(end: SandboxEnd | undefined): Promise<boolean> {
    const hasRun = end !== undefined && end.reason !== 'refused';
    if (!hasRun || (end.exitCode !== undefined && end.exitCode !== killedStatus)) return true;
    const { kind, home } = this.specification;
    if (kind !== 'shell' || home.kind === 'memory') return false;
    // most shells are ended so, and never run opencode
    return (await databaseChangedTime(home.folder.path)) === this.changedBefore;
  }
}

/**
 * Looks again and again who is in the way: a sandbox that was stopped gives its lock back a moment after it has said
 * so. Nobody waits for another computer.
 */
async function inTime(
  own: HomeUser,
  patience: number,
  look: () => Promise<HomeUser | undefined>,
): Promise<HomeUser | undefined> {
  const deadline = performance.now() + patience;
  for (;;) {
    const holder = await look();
    if (holder?.bootId !== own.bootId || performance.now() > deadline) return holder;
    await delay(pollMilliseconds);
  }
}

/** Says who has a home. @param homeFolder that in extension storage */
export function homeLocked(path: string, holder: HomeUser, homeFolder: string): UserError {
  return new UserError(
    'home.locked',
    message(
      'The agent’s home {0} has been in use on {1} since {2}. It is on a file system that computers share, where opencode’s database breaks when two sandboxes use it. Stop that one first. If {1} was switched off for good, remove the file {3}.',
      path,
      holder.hostName,
      new Date(holder.since).toLocaleString(),
      homeLockPath(homeFolder),
    ),
  );
}

/** Says that a home can't be used now. */
export function homeBusy(path: string): UserError {
  return new UserError(
    'home.busy',
    message(
      'The agent’s sessions in {0} are just being set up or repaired by another sandbox or window. Try again in a moment.',
      path,
    ),
  );
}
