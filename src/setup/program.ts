import { constants } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { allows } from '../host/folderFacts';
import { ProcessError, runProcess } from '../host/runProcess';
import { type Environment, toolEnvironment } from '../sandbox/hostEnvironment';
import { type FoundProgram, type HelperName, helperNames } from './facts';
import { directiveIs, parseSiteConfiguration, type SiteConfiguration } from './siteConfiguration';

type Inspected = Pick<FoundProgram, 'isSetuid' | 'helpers' | 'configuration'>;

/** What can be read of how an Apptainer was installed. @param apptainer path of the program, which is asked for its folders */
export async function inspectProgram(
  apptainer: string,
  { environment, signal }: { readonly environment: Environment; readonly signal?: AbortSignal | undefined },
): Promise<Inspected> {
  const hostEnvironment = toolEnvironment(apptainer, environment);
  const folders = await askFolders(apptainer, hostEnvironment, signal);
  const libraryPrograms = join(folders.get('LIBEXECDIR') ?? '/usr/libexec', 'apptainer', 'bin');
  const configuration = await readConfiguration(folders.get('APPTAINER_CONF_FILE'));
  return {
    isSetuid:
      (await isSetuidProgram(join(libraryPrograms, 'starter-suid'))) &&
      !(configuration && directiveIs(configuration, 'allow setuid', 'no')),
    helpers: await findHelpers([
      libraryPrograms,
      folders.get('BINDIR') ?? '/usr/bin',
      ...(hostEnvironment['PATH'] ?? '').split(':'),
    ]),
    configuration,
  };
}

/** `apptainer buildcfg` prints where its files are, as NAME=VALUE. */
async function askFolders(
  file: string,
  env: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string>> {
  const limits = { timeoutMilliseconds: 30_000, maximumOutputBytes: 16_384, signal };
  try {
    const { stdout } = await runProcess({ file, args: ['buildcfg'], env, cwd: '/', ...limits });
    return new Map(
      stdout.split('\n').map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
  } catch (error) {
    if (error instanceof ProcessError) return new Map();
    throw error;
  }
}

async function readConfiguration(path: string | undefined): Promise<SiteConfiguration | undefined> {
  if (path === undefined) return undefined;
  return readFile(path, 'utf8').then(parseSiteConfiguration, () => undefined);
}

async function isSetuidProgram(path: string): Promise<boolean> {
  return stat(path).then(
    ({ uid, mode }) => uid === 0 && (mode & 0o4000) !== 0,
    () => false,
  );
}

/** squashfuse has a second name for its newer interface, which Apptainer prefers. */
const fileNames: Readonly<Record<HelperName, readonly string[]>> = {
  squashfuse: ['squashfuse_ll', 'squashfuse'],
  unsquashfs: ['unsquashfs'],
  mksquashfs: ['mksquashfs'],
  'fuse-overlayfs': ['fuse-overlayfs'],
};

async function findHelpers(folders: readonly string[]): Promise<HelperName[]> {
  const found: HelperName[] = [];
  for (const helper of helperNames) {
    const paths = folders.flatMap((folder) => fileNames[helper].map((name) => join(folder, name)));
    const results = await Promise.all(paths.map((path) => allows(path, constants.X_OK)));
    if (results.includes(true)) found.push(helper);
  }
  return found;
}
