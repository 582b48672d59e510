import { lstat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { identityOf } from '../host/fileIdentity';
import { isRunning, readProc } from '../host/procfs';
import {
  isAlive,
  isOfThisBoot,
  mayBeElsewhere,
  readIndexEntries,
  type SandboxIndexEntry,
} from '../host/sandboxIndex';
import { isBelow, type WrittenFolders } from '../sandbox/agentHomes';
import { parseMountinfo, type Mount } from '../sandbox/mountinfo';
import { isSameOrInside } from '../sandbox/paths';
import type { FileIdentity } from '../sandbox/specification';
import { findContainer } from './containerProcesses';

/** A sandbox that can write where another one can, or will. */
export interface OtherSandbox {
  readonly entry: SandboxIndexEntry;
  /** in the index */
  readonly file: string;
  /** on this computer, started since it was */
  readonly isHere: boolean;
}

/** Those of which something is counted: what a sandbox can write, and its id once it has one. */
export type OwnFolders = Pick<WrittenFolders, 'workspace' | 'home'> & { readonly id?: string };

/**
 * The sandboxes whose folder or home lies in those of another one, or holds them; those of other computers as well,
 * which may be gone without a word.
 */
export async function sandboxesNear(indexDirectory: string, own: OwnFolders): Promise<OtherSandbox[]> {
  const entries = await readIndexEntries(indexDirectory);
  const near = entries.filter((entry) => entry.id !== own.id && isNear(own, entry));
  const running = await Promise.all(
    near.map(async (entry) => {
      const other = {
        entry,
        file: join(indexDirectory, `${entry.id}.json`),
        isHere: await isOfThisBoot(entry),
      };
      return (await mayRun(indexDirectory, other)) ? [other] : [];
    }),
  );
  return running.flat();
}

/** Two homes may lie in each other: in neither is anything read-only. */
function isNear(own: OwnFolders, { workspace, home = '' }: SandboxIndexEntry): boolean {
  return (
    meet(own.workspace, workspace) ||
    (home !== '' && meet(own.workspace, home)) ||
    (own.home !== '' && meet(own.home, workspace))
  );
}

function meet(one: string, other: string): boolean {
  return isSameOrInside(one, other) || isSameOrInside(other, one);
}

async function mayRun(indexDirectory: string, { entry, isHere }: OtherSandbox): Promise<boolean> {
  // for a moment it outlives a supervisor that was killed
  if (isHere) return (entry.isOver !== true && (await isAlive(entry))) || initOf(entry) !== undefined;
  return entry.hostName !== hostname() || (await mayBeElsewhere(indexDirectory, entry));
}

/** Pid 1 of its container; undefined while there is none, and before it has come to its gate. */
function initOf({ init, starter }: SandboxIndexEntry): number | undefined {
  if (init && isRunning(init.pid, init.startTime)) return init.pid;
  return starter && isRunning(starter.pid, starter.startTime) ? findContainer(starter.pid)?.init : undefined;
}

/**
 * The paths in its folder that a sandbox of this computer can't write, as the kernel has them now: wherever its agent
 * has moved what is above them.
 * @returns none before it has come to its gate; undefined when it can't be known, as on another computer
 */
export function boundReadOnlyIn({ entry, isHere }: OtherSandbox): readonly string[] | undefined {
  if (!isHere) return undefined;
  const init = initOf(entry);
  if (init === undefined) return [];
  const mounts = mountsOf(init);
  const covered = homesOf(entry).map(({ path }) => path);
  return mounts.length === 0
    ? undefined
    : readOnlyBelow(entry, mounts).filter((path) => !covered.includes(path));
}

/**
 * Whether a sandbox can't write to a folder of its workspace, because an empty one lies over it or it is read-only: as
 * the kernel has it now, or where that can't be known, as it was when it was started.
 * @param path absolute and resolved
 */
export async function isClosedIn({ entry, isHere }: OtherSandbox, path: string): Promise<boolean> {
  const init = isHere ? initOf(entry) : undefined;
  const mounts = init === undefined ? [] : mountsOf(init);
  if (mounts.length > 0) return readOnlyBelow(entry, mounts).some((each) => isSameOrInside(each, path));
  const above = homesOf(entry).filter(
    (home) => isBelow(entry.workspace, home.path) && isSameOrInside(home.path, path),
  );
  const present = await Promise.all(above.map((home) => isInPlace(home, isHere)));
  return present.includes(true);
}

/** Whether the home of a sandbox is still where its name says. One in memory is nowhere. */
export async function isHomeInPlace({ entry, isHere }: OtherSandbox): Promise<boolean> {
  const home = homesOf(entry).find(({ path }) => path === entry.home);
  return home !== undefined && (await isInPlace(home, isHere));
}

function mountsOf(init: number): Mount[] {
  return parseMountinfo(readProc(`${init}/mountinfo`) ?? '');
}

function readOnlyBelow({ workspace }: SandboxIndexEntry, mounts: readonly Mount[]): string[] {
  return mounts
    .filter(({ readOnly }) => readOnly)
    .map(({ mountPoint }) => mountPoint)
    .filter((path) => isBelow(workspace, path));
}

interface KnownHome {
  readonly path: string;
  /** not noted by older versions */
  readonly identity?: FileIdentity;
}

function homesOf({ homes, home = '' }: SandboxIndexEntry): readonly KnownHome[] {
  return homes ?? (home === '' ? [] : [{ path: home }]);
}

/** @param isHere whether it was seen on this computer: others give a file system another number */
async function isInPlace({ path, identity }: KnownHome, isHere: boolean): Promise<boolean> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  const present = stats && identityOf(stats);
  return (
    present !== undefined &&
    (identity === undefined ||
      (present.inode === identity.inode && (!isHere || present.device === identity.device)))
  );
}
