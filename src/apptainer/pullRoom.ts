import { dirname } from 'node:path';
import { commandIds } from '../contributions';
import { nearestFolder, readFileSystem } from '../host/fileSystemFacts';
import { findShortage } from '../host/freeSpace';
import type { Environment } from '../sandbox/hostEnvironment';
import { type Message, message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { cacheFolder, temporaryFolder } from './pullFolders';

const megabyte = 1_000_000;
/** A quota shows only when one writes. */
const triedBytes = 1 << 20;

/**
 * Looks whether there is room for the smallest image that holds an agent (60 MB; unpacked it is two to three times as
 * large, measured), so that nobody waits for a pull that can't end well.
 * @throws UserError `pull.noRoom`
 */
export async function requireRoom(target: string, environment: Environment): Promise<void> {
  const needs: readonly (readonly [string | undefined, number])[] = [
    [dirname(target), 80],
    [cacheFolder(environment), 80],
    [temporaryFolder(environment), 250],
  ];
  for (const [path, megabytes] of needs) {
    if (path !== undefined) await requireFree(path, megabytes);
  }
}

async function requireFree(path: string, megabytes: number): Promise<void> {
  const folder = await nearestFolder(path);
  const free = await readFileSystem(folder).then(
    ({ freeBytes }) => Math.floor(freeBytes / megabyte),
    () => undefined,
  );
  if (free !== undefined && free < megabytes) {
    throw noRoom(
      message(
        'A pull needs {0} MB at {1}, where {2} MB are free. Free some space, or set APPTAINER_CACHEDIR and APPTAINER_TMPDIR to folders on another disk and restart VS Code.',
        ...[megabytes, path, free],
      ),
    );
  }
  if (findShortage(folder, triedBytes) === 'quota') {
    throw noRoom(
      message(
        'A pull needs {0} MB at {1}, where your quota is used up. Free some space, or set APPTAINER_CACHEDIR and APPTAINER_TMPDIR to folders on another disk and restart VS Code.',
        ...[megabytes, path],
      ),
    );
  }
}

function noRoom(description: Message): UserError {
  return new UserError('pull.noRoom', description, { kind: 'runCommand', command: commandIds.checkSetup });
}
