import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pullEnvironment } from '../../src/sandbox/hostEnvironment';
import { runCommand } from './command';
import type { DebianSuite } from '../../src/setup/debianArchive';
import { openDebianArchive } from './debian';
import { makeDebianRoot } from './debianRootFileSystem';
import { installOpencode, opencodeVersion } from './opencodePackage';
import { cacheFolder } from './paths';
import { step } from './progress';

const suite: DebianSuite = 'trixie';

/** What an agent uses on the way to working code; opencode itself needs git and ripgrep. */
const agentPackages = (
  'bash coreutils dash grep sed findutils diffutils gawk patch make git ripgrep python3 python3-numpy python-is-python3 ' +
  'less procps curl ca-certificates tar gzip xz-utils debianutils ncurses-base ncurses-bin'
).split(' ');

/** Raise this when an image made by this code from the same packages would be another one. */
const recipeVersion = 1;

/** Fast to make and to read: decompression is on the way of each start of opencode. */
const compression = '-comp lz4';

export const imageFolder = join(cacheFolder, 'images');

const opencodeImage = join(imageFolder, 'opencode-debian.sif');
const opencodeRecipe = [
  `version ${recipeVersion}`,
  suite,
  ...agentPackages,
  `opencode ${opencodeVersion}`,
].join(' ');

/** The image of {@link ensureDebianImage}, if it is there and up to date. */
export async function findDebianImage(): Promise<string | undefined> {
  return (await isMadeFrom(opencodeImage, opencodeRecipe)) ? opencodeImage : undefined;
}

/**
 * An image with opencode, made from Debian's packages and npm's opencode without root (once, under a minute).
 * @param apptainer the program to make it with
 * @returns the path of the SIF file
 */
export async function ensureDebianImage(apptainer: string): Promise<string> {
  return makeImage(opencodeImage, opencodeRecipe, async (partial, root) => {
    await step('Getting opencode from npm (60 MB)', () => installOpencode(join(root, 'usr/bin')));
    await step('Getting the rest of the image from Debian (70 MB)', async () => {
      await makeDebianRoot(await openDebianArchive(suite), agentPackages, root);
    });
    await step('Compiling the image’s Python modules', () => compilePython(apptainer, root));
    await step('Packing the image', () => pack(apptainer, root, partial));
  });
}

/** A very small image with a shell (busybox) and no opencode. */
export async function ensureShellOnlyImage(apptainer: string): Promise<string> {
  const image = join(imageFolder, 'shell-only.sif');
  return makeImage(image, `version ${recipeVersion} ${suite} busybox-static`, async (partial, root) => {
    await step('Making a small image with a shell only', async () => {
      await makeDebianRoot(await openDebianArchive(suite), ['busybox-static'], root);
      const applets = await runCommand(join(root, 'usr/bin/busybox'), ['--list']);
      for (const name of applets.split('\n').filter((name) => name !== '' && name !== 'busybox')) {
        await symlink('busybox', join(root, 'usr/bin', name));
      }
      await pack(apptainer, root, partial);
    });
  });
}

function recipeFile(image: string): string {
  return `${image}.recipe`;
}

async function isMadeFrom(image: string, recipe: string): Promise<boolean> {
  return (await readFile(recipeFile(image), 'utf8').catch(() => undefined)) === recipe;
}

/**
 * Makes `image` from `recipe` unless it already is.
 * @param make gets the path at which to make it, and a folder to fill with what shall be in it
 */
async function makeImage(
  image: string,
  recipe: string,
  make: (partial: string, root: string) => Promise<void>,
): Promise<string> {
  if (await isMadeFrom(image, recipe)) {
    return image;
  }
  await mkdir(imageFolder, { recursive: true });
  const work = await mkdtemp(`${image}.partial-`);
  try {
    const partial = join(work, 'image.sif');
    await mkdir(join(work, 'root'));
    await make(partial, join(work, 'root'));
    await rm(recipeFile(image), { force: true });
    await rename(partial, image);
    await writeFile(recipeFile(image), recipe);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return image;
}

/** An image is read-only, so Python could never keep what it compiles, and would do it again at each start. */
async function compilePython(apptainer: string, root: string): Promise<void> {
  const modules = (await readdir(join(root, 'usr/lib'))).filter((name) => name.startsWith('python3'));
  await runApptainer(apptainer, root, [
    ...['exec', '--containall', '--cleanenv', '--writable', root],
    ...['python3', '-m', 'compileall', '-q', '-j', '0', '--invalidation-mode', 'unchecked-hash'],
    ...modules.map((name) => join('/usr/lib', name)),
  ]);
}

async function pack(apptainer: string, root: string, image: string): Promise<void> {
  await runApptainer(apptainer, root, ['build', '--force', '--mksquashfs-args', compression, image, root]);
}

/** Its work files go beside the image: they can be larger than /tmp. */
async function runApptainer(apptainer: string, root: string, args: readonly string[]): Promise<void> {
  const environment = { ...pullEnvironment(apptainer, process.env), APPTAINER_TMPDIR: dirname(root) };
  await runCommand(apptainer, ['--quiet', ...args], { environment });
}
