import { join } from 'node:path';
import { readFolderFacts, readPlace } from '../../src/host/folderFacts';
import { readSurroundings } from '../../src/launch/surroundings';
import { refuseWorkspace } from '../../src/sandbox/refusals';
import { cacheFolder } from '../setup/paths';

/** Where the extension code that runs without VS Code keeps its files. */
export const headlessStorage = join(cacheFolder, 'headless');

/**
 * The real path of a folder. Refuses early, before anything is fetched, what no sandbox would be started in.
 * @param folder absolute
 * @throws UserError
 */
export async function resolveWorkspace(folder: string): Promise<string> {
  const surroundings = await readSurroundings({
    environment: process.env,
    storageDirectory: headlessStorage,
    serverFolders: [],
  });
  const facts = await readFolderFacts((await readPlace(folder)).path);
  const refusal = refuseWorkspace(facts, surroundings);
  if (refusal !== undefined) {
    throw refusal;
  }
  return facts.place.path;
}
