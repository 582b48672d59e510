import { mkdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { message } from '../sandbox/message';
import { parseMountinfo } from '../sandbox/mountinfo';
import { isSameOrInside } from '../sandbox/paths';
import { runDirectoryPrefix, temporaryFoldersAt, type TemporaryFolder } from '../sandbox/runDirectory';
import { UserError } from '../sandbox/userError';
import { identify } from './fileIdentity';
import { fileSystemKind } from './fileSystemKind';
import { readProc } from './procfs';
import { randomHex } from './random';

/** Both hold what may go at any time (Filesystem Hierarchy Standard 3.0, 3.18 and 5.15). */
const candidates = ['/tmp', '/var/tmp'];

/** opencode leaves 20 MB at each start (measured with 1.18), and what it runs some more. */
const tightBytes = 2n ** 28n;

/**
 * Where the folders for temporary files may be made, the best first: with room, on a disk of this computer, else in its
 * memory, else on a network, where they are slow. opencode loads libraries from there, which must not be forbidden.
 */
export async function findTemporaryParents(): Promise<string[]> {
  const ranked = await Promise.all(candidates.map(async (path) => ({ path, rank: await rankOf(path) })));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ path }) => path);
}

async function rankOf(path: string): Promise<number> {
  const facts = await statfs(path, { bigint: true }).catch(() => undefined);
  if (facts === undefined) return 100;
  const isTight = facts.bavail * facts.bsize < tightBytes;
  const isClosed = isWithoutExecution(path, readProc('self/mountinfo') ?? '');
  return (
    { disk: 0, memory: 1, network: 2 }[fileSystemKind(facts.type)] + (isTight ? 3 : 0) + (isClosed ? 6 : 0)
  );
}

/** Whether the file system that a path is on was mounted with `noexec`. @param mountinfo of /proc/self/mountinfo */
export function isWithoutExecution(path: string, mountinfo: string): boolean {
  const above = parseMountinfo(mountinfo).filter(({ mountPoint }) => isSameOrInside(mountPoint, path));
  const longest = Math.max(...above.map(({ mountPoint }) => mountPoint.length));
  // of those at the same place the last one counts
  return above.filter(({ mountPoint }) => mountPoint.length === longest).at(-1)?.noExecution ?? false;
}

/** A sandbox's folders for temporary files, which are all in the one at `path`. */
export interface TemporaryFiles {
  readonly path: string;
  readonly folders: readonly TemporaryFolder[];
}

/**
 * Makes the folders for a sandbox's temporary files, 0700. They are removed like a run directory, whose kind of name
 * they have.
 *
 * @param parents tried in order; a parent that does not work is passed over
 * @param announce is told where they will be before they are made, so that they are found and removed should this
 *   process be killed meanwhile
 * @throws UserError `temporaryFiles.notPossible`, and what `announce` throws
 */
export async function createTemporaryFiles(
  parents: readonly string[],
  announce: (path: string) => Promise<void>,
): Promise<TemporaryFiles> {
  const failures: unknown[] = [];
  for (const parent of parents) {
    const path = resolve(parent, `${runDirectoryPrefix}${randomHex(4)}`);
    await announce(path);
    try {
      // fails when something of that name is there
      mkdirSync(path, { mode: 0o700 });
      return { path, folders: await Promise.all(temporaryFoldersAt(path).map(make)) };
    } catch (error) {
      failures.push(error);
    }
  }
  throw new UserError(
    'temporaryFiles.notPossible',
    message(
      'The private folder for the sandbox’s temporary files can’t be made in {0}: is there space, and may you write there? The log says more.',
      parents.join(', '),
    ),
    { kind: 'showLog' },
    { cause: new AggregateError(failures) },
  );
}

async function make(folder: TemporaryFolder): Promise<TemporaryFolder> {
  mkdirSync(folder.source, { mode: 0o700 });
  return { ...folder, identity: await identify(folder.source) };
}
