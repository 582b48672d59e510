import { dirname } from 'node:path';
import { commandIds } from '../contributions';
import { nearestFolder, readFileSystem } from '../host/fileSystemKind';
import { findShortage } from '../host/freeSpace';
import type { Environment } from '../sandbox/hostEnvironment';
import { type Message, message } from '../sandbox/message';
import { type PullFolderRole, pullFolderSettings } from '../sandbox/refusePullFolder';
import { type RemedyAction, UserError } from '../sandbox/userError';
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
  const needs: readonly Need[] = [
    { path: dirname(target), megabytes: 80 },
    { path: cacheFolder(environment), megabytes: 80, role: 'cache' },
    { path: temporaryFolder(environment), megabytes: 250, role: 'temporary' },
  ];
  for (const need of needs) await requireFree(need);
}

interface Need {
  /** undefined where nobody can know */
  readonly path: string | undefined;
  readonly megabytes: number;
  /** of a folder that can be another one */
  readonly role?: PullFolderRole;
}

async function requireFree({ path, megabytes, role }: Need): Promise<void> {
  if (path === undefined) return;
  const folder = await nearestFolder(path);
  const free = await readFileSystem(folder).then(
    ({ freeBytes }) => Math.floor(freeBytes / megabyte),
    () => undefined,
  );
  if (free !== undefined && free < megabytes) {
    throw role === undefined
      ? noRoom(
          message(
            'A pull needs {0} MB at {1}, where {2} MB are free. Free some space.',
            megabytes,
            path,
            free,
          ),
        )
      : noRoom(
          message(
            'A pull needs {0} MB at {1}, where {2} MB are free. Free some space, or choose a folder on another disk in the setting {3}.',
            ...[megabytes, path, free, pullFolderSettings[role]],
          ),
          role,
        );
  }
  if (findShortage(folder, triedBytes) === 'quota') {
    throw role === undefined
      ? noRoom(
          message(
            'A pull needs {0} MB at {1}, where your quota is used up. Free some space.',
            megabytes,
            path,
          ),
        )
      : noRoom(
          message(
            'A pull needs {0} MB at {1}, where your quota is used up. Free some space, or choose a folder on another disk in the setting {2}.',
            ...[megabytes, path, pullFolderSettings[role]],
          ),
          role,
        );
  }
}

function noRoom(description: Message, role?: PullFolderRole): UserError {
  const action: RemedyAction = role
    ? { kind: 'openSetting', setting: pullFolderSettings[role] }
    : { kind: 'runCommand', command: commandIds.checkSetup };
  return new UserError('pull.noRoom', description, action);
}
