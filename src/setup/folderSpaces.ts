import { realpath } from 'node:fs/promises';
import { cacheFolder, temporaryFolder } from '../apptainer/pullFolders';
import { nearestFolder, readFileSystem } from '../host/fileSystemKind';
import { findShortage } from '../host/freeSpace';
import { readProc } from '../host/procfs';
import { isWithoutExecution } from '../host/temporaryFolder';
import type { Environment } from '../sandbox/hostEnvironment';
import type { FolderRole, FolderSpace } from './facts';

export interface SpaceRequest {
  readonly environment: Environment;
  readonly storageDirectory: string;
  readonly workspaces: readonly string[];
  readonly agentHome: string | undefined;
  readonly isThorough: boolean;
}

/** A quota shows only when one writes: this much, which then is gone again. */
const triedBytes = 2 ** 20;

/** How much room there is where images, their parts and the agent's sessions go. */
export async function readFolderSpaces(request: SpaceRequest): Promise<FolderSpace[]> {
  const places: readonly (readonly [FolderRole, string | undefined])[] = [
    ['images', request.storageDirectory],
    ['cache', cacheFolder(request.environment)],
    ['temporary', temporaryFolder(request.environment)],
    ['agentHome', request.agentHome],
    ['workspace', request.workspaces[0]],
  ];
  const spaces = await Promise.all(
    places.map(async ([role, path]) => {
      return path === undefined ? undefined : readSpace(role, path, request.isThorough);
    }),
  );
  return spaces.filter((space) => space !== undefined);
}

async function readSpace(role: FolderRole, path: string, writes: boolean): Promise<FolderSpace | undefined> {
  const existing = await nearestFolder(path);
  try {
    const { kind, name, freeBytes } = await readFileSystem(existing);
    return {
      ...{ role, path, freeBytes, fileSystem: kind, fileSystemName: name },
      forbidsPrograms: isWithoutExecution(await realpath(existing), readProc('self/mountinfo') ?? ''),
      isQuotaUsedUp: writes && role !== 'workspace' && findShortage(existing, triedBytes) === 'quota',
    };
  } catch {
    return undefined;
  }
}
