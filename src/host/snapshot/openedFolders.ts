import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { type BytePath, depthOf, nameOf, parentOf } from '../../snapshot/bytePath';
import { isClosed } from '../closedFolder';
import { changeModeOf, entryOf, type FolderChain, openPlace, pinnedPath } from '../pinned';

/** S_IRUSR and S_IXUSR of <sys/stat.h>: to list a folder, and to look at what is in it. */
const lookBits = 0o500;
const enterBit = 0o100;

/** Folders that keep their owner out and were opened up for some work, with the permissions that they get at its end. */
export class OpenedFolders {
  private readonly modes = new Map<BytePath, number>();

  /** Lets us do anything in a folder. @param descriptor of it, open */
  openUp(folder: BytePath, descriptor: number): void {
    const mode = Number(fstatSync(descriptor, { bigint: true }).mode & 0o7777n);
    if (!this.modes.has(folder)) this.modes.set(folder, mode);
    changeModeOf(descriptor, mode | 0o700);
  }

  /** A folder gets these permissions at the end. */
  set(folder: BytePath, mode: number): void {
    this.modes.set(folder, mode);
  }

  /** A folder is gone. */
  forget(folder: BytePath): void {
    this.modes.delete(folder);
  }

  /** Gives all their permissions, the deepest first. */
  restore(chain: FolderChain): void {
    const deepestFirst = [...this.modes].sort(([one], [other]) => depthOf(other) - depthOf(one));
    for (const [path, mode] of deepestFirst) {
      try {
        setMode(chain, path, mode);
      } catch {
        // it is gone again: somebody else was at work
      }
    }
    this.modes.clear();
  }
}

function setMode(chain: FolderChain, path: BytePath, mode: number): void {
  if (path === '') {
    changeModeOf(chain.enter(path), mode);
    return;
  }
  const place = openPlace(entryOf(chain.enter(parentOf(path)), nameOf(path)));
  try {
    changeModeOf(place, mode);
  } finally {
    closeSync(place);
  }
}

/** A folder that can be listed and looked at. */
export interface LookedInto {
  /** its descriptor */
  readonly folder: number;
  /** to be called when it was listed */
  readonly listed: () => void;
  readonly close: () => void;
}

/**
 * Opens a folder to look into it. One of ours that keeps us out gets the permissions for that: until it was listed where
 * only that was forbidden, else until it is closed.
 * @param place the folder, open as a place
 * @throws what the kernel says when it may not be looked into
 */
export function openToLook(place: number): LookedInto {
  const stats = fstatSync(place, { bigint: true });
  const mode = Number(stats.mode & 0o7777n);
  const open = (): number => openSync(pinnedPath(place), constants.O_RDONLY | constants.O_DIRECTORY);
  if (!isClosed(stats)) {
    const folder = open();
    return { folder, listed: () => undefined, close: () => closeSync(folder) };
  }
  changeModeOf(place, mode | lookBits);
  let folder: number;
  try {
    folder = open();
  } catch (error) {
    changeModeOf(place, mode);
    throw error;
  }
  const isEntered = (mode & enterBit) !== 0;
  let isGivenBack = false;
  const giveBack = (): void => {
    if (!isGivenBack) fchmodSync(folder, mode);
    isGivenBack = true;
  };
  return {
    folder,
    listed: () => {
      if (isEntered) giveBack();
    },
    close: () => {
      giveBack();
      closeSync(folder);
    },
  };
}
