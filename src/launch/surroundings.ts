import { userInfo } from 'node:os';
import { localCopyFolders } from '../apptainer/opencodeCopies';
import { readPlace } from '../host/folderFacts';
import type { ReservedKind, ReservedPlace, Surroundings } from '../sandbox/forbiddenPlaces';
import type { Environment } from '../sandbox/hostEnvironment';

/** Folders that a sandbox must not get. */
export interface OwnFolders {
  /** the user's environment */
  readonly environment: Environment;
  /** of the extension */
  readonly storageDirectory: string;
  /** where VS Code, its server and its extensions are, besides the dot folders in the home folder */
  readonly serverFolders: readonly string[];
}

/** Reads where on this host the folders are that no agent may have. */
export async function readSurroundings(folders: OwnFolders): Promise<Surroundings> {
  const { environment, storageDirectory, serverFolders } = folders;
  const runtimeFolder = environment['XDG_RUNTIME_DIR'];
  return {
    homes: await Promise.all(homeFolders(environment).map(readPlace)),
    reserved: await Promise.all([
      ...['/tmp', '/var/tmp'].map((path) => reserve('temporary', path)),
      ...(runtimeFolder?.startsWith('/') ? [reserve('runtime', runtimeFolder)] : []),
      reserve('storage', storageDirectory),
      ...localCopyFolders(process.getuid?.() ?? -1).map((path) => reserve('storage', path)),
      ...serverFolders.map((path) => reserve('editor', path)),
    ]),
  };
}

/** A reserved place at this path, as it is now. */
export async function reserve(kind: ReservedKind, path: string): Promise<ReservedPlace> {
  return { kind, place: await readPlace(path) };
}

/** By the environment and by the system's list of users: they can differ, and both are full of secrets. */
function homeFolders(environment: Environment): string[] {
  const folders = [environment['HOME'], listedHome()];
  return [...new Set(folders.filter((folder) => folder?.startsWith('/') && folder !== '/'))].filter(
    (folder) => folder !== undefined,
  );
}

function listedHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // some cluster nodes do not know their users by name
    return undefined;
  }
}
