import { join } from 'node:path';
import type { DebianSuite } from '../../src/setup/debianArchive';
import { openDebianArchive } from './debian';
import { cacheFolder } from './paths';
import { step } from './progress';
import { isMadeFrom, makeWholeFolder } from '../../src/host/madeFolder';

const suite: DebianSuite = 'trixie';
const packages = ['docker-registry'];

/**
 * A registry for the tests of pulling: Debian's docker-registry, one static program, unpacked without root into the
 * git-ignored cache.
 *
 * @returns path of the program
 * @throws UserError when it can't be had
 */
export async function ensureRegistry(): Promise<string> {
  const folder = join(cacheFolder, 'registry');
  const recipe = [folder, suite, ...packages].join('\n');
  if (!(await isMadeFrom(folder, recipe))) {
    await step('Getting a registry from Debian (6 MB, once)', async () => {
      const archive = await openDebianArchive(suite);
      await makeWholeFolder(folder, recipe, (partial) => archive.unpack(packages, partial));
    });
  }
  return join(folder, 'usr/bin/docker-registry');
}
