import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { message } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';
import { findOnPath, runCommand } from './command';
import { type DebianSuite, hasApt } from '../../src/setup/debianArchive';
import { openDebianArchive } from './debian';
import { cacheFolder } from './paths';
import { step } from './progress';
import { isMadeFrom, makeWholeFolder } from '../../src/host/madeFolder';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const suite: DebianSuite = 'trixie';
const packages = ['chromium', 'fonts-dejavu-core', 'patchelf'];

/** Folder of Debian's libraries and name of its program loader, by processor. */
const systems: Partial<Record<NodeJS.Architecture, { readonly libraries: string; readonly loader: string }>> =
  {
    x64: { libraries: 'usr/lib/x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
    arm64: { libraries: 'usr/lib/aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
  };

/** Libraries are found by variable, because some of them name a search path of their own, in which they are not. */
const startScript = (libraries: string): string => `#!/bin/sh
folder=$(dirname "$0")
export LD_LIBRARY_PATH="$folder/${libraries}:$folder/${libraries}/pulseaudio"
export FONTCONFIG_SYSROOT="$folder"
exec "$folder/usr/lib/chromium/chromium" "$@"
`;

/**
 * A Chromium for the tests: the one that the variable CHROMIUM names, else one on PATH, else Debian's, unpacked
 * without root into the git-ignored cache (once; 150 MB to fetch, 800 MB unpacked).
 *
 * @throws UserError with its fix when there is none to be had
 */
export async function ensureChromium(): Promise<string> {
  const chosen = process.env['CHROMIUM'];
  const found = chosen ? chosen : names.map(findOnPath).find((path) => path !== undefined);
  if (found !== undefined && existsSync(found)) {
    return found;
  }
  const system = systems[process.arch];
  if (chosen || system === undefined || !hasApt()) {
    throw new UserError(
      'setup.noChromium',
      message(
        'The tests show VS Code in Chromium, and there is none at {0}. Install it with your package manager, or set ' +
          'the environment variable CHROMIUM to the path of a Chromium or Chrome.',
        chosen ? chosen : names.join(', '),
      ),
    );
  }
  return await unpackChromium(system.libraries, system.loader);
}

async function unpackChromium(libraries: string, loader: string): Promise<string> {
  const folder = join(cacheFolder, 'chromium');
  const recipe = [folder, suite, ...packages, startScript(libraries)].join('\n');
  if (!(await isMadeFrom(folder, recipe))) {
    await step('Getting Chromium from Debian (150 MB, once)', async () => {
      const archive = await openDebianArchive(suite);
      await makeWholeFolder(folder, recipe, async (partial) => {
        await archive.unpack(packages, partial);
        await useLoader(partial, join(libraries, loader), folder);
        await writeFile(join(partial, 'start'), startScript(libraries), { mode: 0o755 });
      });
    });
  }
  return join(folder, 'start');
}

/** The system's own loader may be older than the libraries that were unpacked with the program. */
async function useLoader(partial: string, loader: string, folder: string): Promise<void> {
  for (const program of ['chromium', 'chrome_crashpad_handler']) {
    await runCommand(join(partial, loader), [
      ...['--library-path', join(partial, loader, '..')],
      join(partial, 'usr/bin/patchelf'),
      ...['--set-interpreter', join(folder, loader)],
      join(partial, 'usr/lib/chromium', program),
    ]);
  }
}
