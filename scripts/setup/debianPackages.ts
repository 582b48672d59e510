import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMadeFrom, makeWholeFolder } from '../../src/host/madeFolder';
import type { DebianSuite } from '../../src/setup/debianArchive';
import { openDebianArchive } from './debian';
import { cacheFolder } from './paths';
import { step } from './progress';

const suite: DebianSuite = 'trixie';
/** What every Debian has, by apt's own pattern, and what it needs to install more. */
const basePackages = ['?essential', 'apt'];
/** What the definition files in media/definitions/ and Complete Image install. */
const morePackages = 'ca-certificates git bash python3 python3-venv ripgrep less procps'.split(' ');

/**
 * Packages of Debian for the tests of building, as files in the git-ignored cache: in `base` those of a smallest Debian,
 * in `more` those that definitions install on top.
 *
 * @returns the folder
 * @throws UserError when they can't be had
 */
export async function ensureDebianPackages(): Promise<string> {
  const folder = join(cacheFolder, 'debian-packages');
  const recipe = [suite, ...basePackages, ...morePackages].join('\n');
  if (!(await isMadeFrom(folder, recipe))) {
    await step('Getting packages from Debian for the tests of building (100 MB, once)', async () => {
      const archive = await openDebianArchive(suite);
      await makeWholeFolder(folder, recipe, async (partial) => {
        for (const [name, packages] of [
          ['base', basePackages],
          ['more', morePackages],
        ] as const) {
          await mkdir(join(partial, name));
          await archive.download(packages, join(partial, name));
        }
      });
    });
  }
  return folder;
}
