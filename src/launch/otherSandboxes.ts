import { hostname } from 'node:os';
import { join } from 'node:path';
import { isRunning, readProc } from '../host/procfs';
import {
  isAlive,
  isOfThisBoot,
  mayBeElsewhere,
  readIndexEntries,
  type SandboxIndexEntry,
} from '../host/sandboxIndex';
import { parseMountinfo } from '../sandbox/mountinfo';
import { isSameOrInside } from '../sandbox/paths';
import { findContainer } from '../supervisor/containerProcesses';

/** A sandbox whose agent can write in a folder. */
export interface OtherSandbox {
  readonly entry: SandboxIndexEntry;
  /** in the index */
  readonly file: string;
  /** on this computer, started since it was */
  readonly isHere: boolean;
}

/**
 * The sandboxes that can write in a folder, those of other computers as well, which may be gone without a word.
 * @param workspace real path
 * @param skipped folders in it that do not count
 */
export async function sandboxesIn(
  indexDirectory: string,
  workspace: string,
  skipped: readonly string[],
): Promise<OtherSandbox[]> {
  const isCommon = (folder: string): boolean =>
    (isSameOrInside(workspace, folder) && !skipped.some((each) => isSameOrInside(each, folder))) ||
    isSameOrInside(folder, workspace);
  const entries = (await readIndexEntries(indexDirectory)).filter(({ workspace: folder, home = '' }) =>
    [folder, home].some((each) => each !== '' && isCommon(each)),
  );
  const running = await Promise.all(
    entries.map(async (entry) => {
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

async function mayRun(indexDirectory: string, { entry, isHere }: OtherSandbox): Promise<boolean> {
  // for a moment it outlives a supervisor that was killed
  if (isHere) return (await isAlive(entry)) || initOf(entry) !== undefined;
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
  const mounts = parseMountinfo(readProc(`${init}/mountinfo`) ?? '');
  if (mounts.length === 0) return undefined;
  const { workspace, home } = entry;
  return (
    mounts
      .filter(({ readOnly }) => readOnly)
      .map(({ mountPoint }) => mountPoint)
      // an empty folder lies over its home
      .filter((path) => path !== workspace && path !== home && isSameOrInside(workspace, path))
  );
}
