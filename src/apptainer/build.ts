import { constants } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allows } from '../host/folderFacts';
import { requireSuccess } from '../host/runProcess';
import { mountArgument } from '../sandbox/binds';
import { pullEnvironment } from '../sandbox/hostEnvironment';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { explainBuildFailure } from './buildErrors';
import { readDefinition } from './definitionFile';
import { type ImageFileRequest, makeImageFile } from './imageFile';
import { isOnThisComputer } from './pullNetwork';
import { PullOutput, type PullProgress } from './pullOutput';
import { runWithOutput } from './pullProcess';
import { requireRoom } from './pullRoom';
import { isSifFile } from './sif';

export interface BuildRequest extends ImageFileRequest {
  /** the `apptainer` program, resolved */
  readonly apptainer: string;
  /** the text of a definition file */
  readonly definition: string;
  /** values for the `{{ NAME }}` of the definition, over its own */
  readonly values?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** as for a pull */
  readonly ptyModules?: readonly string[] | undefined;
  /** as for a pull */
  readonly inspect?: ((path: string) => Promise<void>) | undefined;
  /** the percentage says nothing: nobody knows how long the sections take */
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
}

/** A faked root of the host's C library does not run in an image with another one. */
const fakerootFailed =
  /error while starting the `faked' daemon|GLIBC_\S+' not found|libfakeroot\S* cannot be preloaded/;

/**
 * Builds an image as an ordinary user, outside of every sandbox. What `%post` and `%test` do is done by programs of the
 * image that is built, with the network of this computer, its /proc and /dev; the home folder is not bound for them
 * (measured with 1.4.5), which is no boundary. `%pre` and `%setup` run on this computer itself, and `%files` copies what
 * the user can read: see `definitionFile.ts`, which who calls this has to ask about a definition that is not ours. So
 * who builds has to trust the definition and the image that it begins with.
 * @throws Cancelled, UserError `build.…`, `pull.noRoom` …
 */
export async function buildImage(request: BuildRequest): Promise<void> {
  await requireRoom(request.target, request.environment);
  await makeImageFile(request, async (partial, temporaryFolder) => {
    const definition = join(temporaryFolder, 'definition.def');
    await writeFile(definition, request.definition, { mode: 0o600 });
    const flags = [
      ...(await identityFlags(request)),
      ...registryFlags(request),
      ...(await ownTemporaryFolders(temporaryFolder)),
    ];
    const first = await run(request, flags, partial, definition, temporaryFolder);
    if (first.failure !== undefined) {
      if (!fakerootFailed.test(first.text)) throw first.failure;
      const again = [...flags, '--ignore-fakeroot-command', '--force'];
      const second = await run(request, again, partial, definition, temporaryFolder);
      if (second.failure !== undefined) throw second.failure;
    }
    if (!(await isSifFile(partial))) {
      throw new UserError('build.notSif', message('What was built is not an image.'), { kind: 'showLog' });
    }
    await request.inspect?.(partial);
  });
}

/**
 * Whether a build can have several users in the image: with a range in /etc/subuid Apptainer insists on newuidmap, even
 * where that is not installed (measured with 1.4.5).
 */
async function identityFlags(request: BuildRequest): Promise<string[]> {
  const path = pullEnvironment(request.apptainer, request.environment)['PATH'] ?? '';
  const places = path.split(':').map((folder) => allows(join(folder, 'newuidmap'), constants.X_OK));
  return (await Promise.all(places)).includes(true) ? [] : ['--ignore-subuid'];
}

/** As for a pull: registries on this computer have no certificate. One that is elsewhere needs it for all of them. */
function registryFlags({ definition, values = {} }: BuildRequest): string[] {
  const filled = definition.replace(/\{\{\s*(\w+)\s*\}\}/g, (place, name: string) => values[name] ?? place);
  const registries = readDefinition(filled)
    .bases.filter(({ bootstrap }) => bootstrap === 'docker')
    .map(({ from }) => `docker://${from}`);
  return registries.length > 0 && registries.every(isOnThisComputer) ? ['--no-https'] : [];
}

/**
 * Else a build gets the host's /tmp, with all that other programs of this user keep there (measured). What a section
 * does as the image's root can take these mounts away again: this is no boundary.
 */
async function ownTemporaryFolders(temporaryFolder: string): Promise<string[]> {
  const flags: string[] = [];
  for (const destination of ['/tmp', '/var/tmp']) {
    const source = await mkdtemp(join(temporaryFolder, 'tmp-'));
    // the user of a package manager may be another one than root
    await chmod(source, 0o1777);
    flags.push('--mount', mountArgument({ source, destination, mode: 'readWrite' }));
  }
  return flags;
}

async function run(
  { apptainer: file, environment, values = {}, signal, ptyModules, onProgress, onLine }: BuildRequest,
  flags: readonly string[],
  partial: string,
  definition: string,
  temporaryFolder: string,
): Promise<{ readonly text: string; readonly failure: UserError | undefined }> {
  const output = new PullOutput(
    (progress) => onProgress?.(progress),
    (line) => onLine?.(line),
  );
  const set = Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  const program = {
    file,
    args: ['build', ...flags, ...set, partial, definition],
    env: { ...pullEnvironment(file, environment), APPTAINER_TMPDIR: temporaryFolder },
    signal,
  };
  const { outcome, text } = await runWithOutput(program, ptyModules, output);
  try {
    requireSuccess(file, outcome);
    return { text, failure: undefined };
  } catch (error) {
    return { text, failure: explainBuildFailure(text, error) };
  }
}
