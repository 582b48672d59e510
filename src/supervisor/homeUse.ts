import { setTimeout as delay } from 'node:timers/promises';
import { fileSystemKindOf } from '../host/fileSystemKind';
import { noteGoodEnd, noteHomeUse, ownHomeUse, type HomeUser } from '../host/homeFolder';
import { homeLockPath, readHomeLock, releaseHomeLock, takeHomeLock } from '../host/homeLock';
import { databaseChangedTime } from '../opencode/sessions/databaseFiles';
import { message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';
import type { SandboxEnd } from './protocol';

const releaseMilliseconds = 2000;
const pollMilliseconds = 100;

/** Of the program in a sandbox that was killed (128 + SIGKILL). */
const killedStatus = 137;

/**
 * One sandbox's use of an agent's home, noted in extension storage, so that the next one knows whether this one has
 * ended well. Several sandboxes of one computer may use a home on its disk at the same time: opencode's database is
 * made for that, and `test/sandbox/sharedHome.test.ts` tries it. Where computers share the file system one sandbox at
 * a time may: SQLite's log needs shared memory, which there is none of between computers, and locks that often do not
 * work (https://www.sqlite.org/wal.html, opencode #14970, #43620).
 */
export class HomeUse {
  private constructor(
    private readonly specification: SandboxSpecification,
    private readonly own: HomeUser,
    private readonly isLocked: boolean,
    /** when the database had been written last */
    private readonly changedBefore?: number,
  ) {}

  /**
   * Notes the use before it begins.
   * @param kindOf tells what a folder is on; tests have no network file system
   * @throws UserError `home.locked`, `home.busy`
   */
  static async begin(specification: SandboxSpecification, kindOf = fileSystemKindOf): Promise<HomeUse> {
    const { id, home, homeFolder } = specification;
    const own = await ownHomeUse(id);
    if (home.kind === 'memory' || homeFolder === undefined) return new HomeUse(specification, own, false);
    const { path } = home.folder;
    const isShared = (await kindOf(path)) === 'network';
    const holder = isShared ? await takeInTime(homeFolder, own) : undefined;
    if (holder) throw homeLocked(path, holder, homeFolder);
    await noteHomeUse(homeFolder, own);
    // after that: whoever repairs a home takes the lock first and looks at its uses then
    const repairer = isShared ? undefined : await readHomeLock(homeFolder);
    if (repairer) {
      await noteGoodEnd(homeFolder, id);
      throw homeBusy(path);
    }
    return new HomeUse(specification, own, isShared, await databaseChangedTime(path));
  }

  /** Ends the use. @param end how the sandbox ended; undefined: nothing of the agent's ever ran */
  async end(end: SandboxEnd | undefined): Promise<void> {
    const { homeFolder } = this.specification;
    if (homeFolder === undefined) return;
    if (await this.isGood(end)) await noteGoodEnd(homeFolder, this.own.sandboxId);
    if (this.isLocked) await releaseHomeLock(homeFolder, this.own);
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

/** A sandbox that was stopped gives its lock back a moment after it has said so. */
async function takeInTime(folder: string, own: HomeUser): Promise<HomeUser | undefined> {
  const deadline = Date.now() + releaseMilliseconds;
  for (;;) {
    const holder = await takeHomeLock(folder, own);
    if (holder?.bootId !== own.bootId || Date.now() > deadline) return holder;
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
      'The agent’s sessions in {0} are being checked or repaired in another window. Try again when that is done.',
      path,
    ),
  );
}
