import { constants } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { allows, followPath } from '../host/folderFacts';
import type { Environment } from '../sandbox/hostEnvironment';
import { isSameOrInside } from '../sandbox/paths';

/** Below these, clusters have a folder for each version. */
const versionFolders = ['/opt/apptainer', '/usr/local/apptainer', '/apps/apptainer', '/sw/apptainer'];
const moduleFolders = [...versionFolders, '/cvmfs/oasis.opensciencegrid.org/mis/apptainer'];
/** A button for each is shown. */
const mostCandidates = 3;

/**
 * Programs called `apptainer` on the user's PATH (where a module puts them) and in common places of clusters. None is
 * run: a folder of a project can be on PATH, so the user has to choose one by its name.
 * @param forbiddenFolders resolved folders that an agent can write
 * @param own the one in extension storage, which need not be there; it comes first
 */
export async function findCandidates(
  environment: Environment,
  forbiddenFolders: readonly string[],
  own: string,
): Promise<string[]> {
  const paths = [
    own,
    ...(environment['PATH'] ?? '').split(':').map((folder) => join(folder, 'apptainer')),
    // EasyBuild's modules name the folder of each program so
    ...(environment['EBROOTAPPTAINER'] ? [join(environment['EBROOTAPPTAINER'], 'bin', 'apptainer')] : []),
    ...(await Promise.all(moduleFolders.map(versionsIn))).flat(),
  ];
  const usable: string[] = [];
  for (const path of paths) {
    const program = isAbsolute(path) ? await resolveProgram(path, forbiddenFolders) : undefined;
    if (program !== undefined && !usable.includes(program)) usable.push(program);
  }
  return usable.slice(0, mostCandidates);
}

async function versionsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  // the newest first
  return names
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    .map((name) => join(folder, name, 'bin', 'apptainer'));
}

async function resolveProgram(
  path: string,
  forbiddenFolders: readonly string[],
): Promise<string | undefined> {
  const { entries } = await followPath(path);
  if (entries.some((entry) => forbiddenFolders.some((folder) => isSameOrInside(folder, entry))))
    return undefined;
  try {
    const program = await realpath(path);
    const stats = await stat(program);
    const isProgram = stats.isFile() && (stats.mode & 0o002) === 0 && (await allows(program, constants.X_OK));
    return isProgram ? program : undefined;
  } catch {
    return undefined;
  }
}
