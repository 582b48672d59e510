import { sweepLeft } from '../host/ownedFolder';
import type { Environment } from '../sandbox/hostEnvironment';
import { temporaryFolder } from './pullFolders';

/**
 * Removes what pulls, builds and trials of images left whose window was killed meanwhile: an unpacked image takes
 * several hundred MB.
 * @param imagesFolder where images are made
 */
export async function sweepLeftovers(imagesFolder: string, environment: Environment): Promise<void> {
  // trials are always in /tmp
  for (const folder of new Set([imagesFolder, temporaryFolder(environment), '/tmp'])) {
    await sweepLeft(folder);
  }
}
