import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder of this clone: the nearest folder above this program that has a package-lock.json (the program may be
 * a bundle in out/scripts/ or compiled into out/).
 */
export const repositoryFolder = findRepository(__dirname);

/** What set-up downloads and builds: git-ignored, can be deleted at any time. */
export const cacheFolder = join(repositoryFolder, '.cache');

function findRepository(start: string): string {
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package-lock.json'))) {
      return folder;
    }
  }
  throw new Error(`no package-lock.json in a folder above ${start}`);
}
