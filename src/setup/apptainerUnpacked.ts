import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMadeFrom, makeWholeFolder } from '../host/madeFolder';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { DebianArchive } from './debianArchive';
import type { RunTool } from './runTool';

/** Apptainer is in Debian's unstable suite only; what it needs comes from there too, so that all fits together. */
const suite = 'unstable';
const packages = ['apptainer', 'squashfuse', 'squashfs-tools', 'fuse-overlayfs', 'fakeroot', 'patchelf'];

/** What Apptainer runs as a normal user. */
const helpers = ['squashfuse_ll', 'squashfuse', 'fuse-overlayfs', 'mksquashfs', 'unsquashfs'];

/** What it takes to get it, roughly: MB on its way here. */
export const unpackedApptainerMegabytes = 45;

/** The program in a folder that {@link unpackApptainer} filled. */
export function unpackedProgram(folder: string): string {
  return join(folder, 'usr/bin/apptainer');
}

/** Whether `folder` is what {@link unpackApptainer} would make of it, and whole. */
export async function isUnpacked(folder: string): Promise<boolean> {
  return await isMadeFrom(folder, unpackRecipe(folder));
}

/** Text that changes when {@link unpackApptainer} would make something else of the same folder. */
function unpackRecipe(folder: string): string {
  return [folder, suite, ...packages].join(' ');
}

/**
 * Unpacks Debian's Apptainer and its helpers into `folder`, without root. They are built against a newer C library
 * than the system may have, so each program gets the loader and the libraries that were unpacked with it. Its
 * helpers are beside it in usr/bin: put that first on its PATH.
 * @param folder absolute; the result works nowhere else
 * @param archiveFolder where package lists and downloads are kept, absolute
 * @throws UserError, Cancelled; the folder is whole or as it was
 */
export async function unpackApptainer(folder: string, archiveFolder: string, run: RunTool): Promise<void> {
  const archive = await DebianArchive.open({ suite, folder: archiveFolder, run });
  await makeWholeFolder(folder, unpackRecipe(folder), async (partial) => {
    await archive.unpack(packages, partial);
    await mkdir(join(partial, 'usr/bin'), { recursive: true });
    await usePrivateLibraries(partial, folder, run);
    await layOutForRelocation(partial);
    await removeTheRest(partial);
  });
}

async function usePrivateLibraries(partial: string, folder: string, run: RunTool): Promise<void> {
  const libraries = await onlyMatch(join(partial, 'usr/lib'), /-linux-gnu$/);
  const loader = await onlyMatch(join(partial, 'usr/lib', libraries), /^ld-linux.*\.so\.\d+$/);
  const libraryFolder = join('usr/lib', libraries);
  const starter = join(libraryFolder, 'apptainer/bin/starter');
  for (const program of ['usr/bin/apptainer', starter, ...helpers.map((name) => join('usr/bin', name))]) {
    await run(join(partial, libraryFolder, loader), [
      ...['--library-path', join(partial, libraryFolder)],
      join(partial, 'usr/bin/patchelf'),
      ...['--set-interpreter', join(folder, libraryFolder, loader)],
      ...['--force-rpath', '--set-rpath', join(folder, libraryFolder)],
      join(partial, program),
    ]);
  }
}

/** An Apptainer that was moved looks for its configuration and its session folder below its own prefixes. */
async function layOutForRelocation(partial: string): Promise<void> {
  const libraries = await onlyMatch(join(partial, 'usr/lib'), /-linux-gnu$/);
  for (const prefix of ['usr', 'usr/lib', join('usr/lib', libraries)]) {
    await cp(join(partial, 'etc/apptainer'), join(partial, prefix, 'etc/apptainer'), { recursive: true });
    await mkdir(join(partial, prefix, 'var/lib/apptainer/mnt/session'), { recursive: true });
  }
}

/** Programs that nobody gave private libraries must not be found first on a PATH. */
async function removeTheRest(partial: string): Promise<void> {
  const kept = new Set(['apptainer', ...helpers]);
  for (const name of await readdir(join(partial, 'usr/bin'))) {
    if (!kept.has(name)) {
      await rm(join(partial, 'usr/bin', name));
    }
  }
  for (const unused of ['usr/sbin', 'usr/share', 'usr/lib/cni', 'sbin', 'bin']) {
    await rm(join(partial, unused), { recursive: true, force: true });
  }
}

async function onlyMatch(folder: string, pattern: RegExp): Promise<string> {
  const found = (await readdir(folder)).filter((name) => pattern.test(name));
  if (found[0] === undefined || found.length > 1) {
    throw new UserError(
      'setup.unexpectedPackage',
      message(
        'Debian’s packages look different than expected: {0} in {1}.',
        found.join(', ') || 'nothing',
        folder,
      ),
    );
  }
  return found[0];
}
