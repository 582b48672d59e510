import { randomBytes } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { settingKeys, settingName } from '../contributions';
import { removeTree } from '../host/removeTree';
import { requireSuccess, runProcess } from '../host/runProcess';
import { type Environment, pullEnvironment } from '../sandbox/hostEnvironment';
import { type Message, message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { checkImageSource } from './imageSource';
import { explainPullFailure } from './pullErrors';
import { isSifFile } from './sif';

export interface PullRequest {
  /** the `apptainer` program, resolved */
  readonly apptainer: string;
  /** such as `docker://ghcr.io/anomalyco/opencode` */
  readonly source: string;
  /** absolute path of the SIF file to make; replaced when it exists */
  readonly target: string;
  /** the user's environment, of which an allow-list is used */
  readonly environment: Environment;
  readonly signal?: AbortSignal | undefined;
  /** called when a new stage begins */
  readonly onProgress?: ((stage: Message) => void) | undefined;
  /** called with each line that Apptainer prints, for the log */
  readonly onLine?: ((line: string) => void) | undefined;
}

const maximumOutputBytes = 65536;
const imageSetting = settingName(settingKeys.image);
const sourceSetting = settingName(settingKeys.imageSource);
/** A pull takes minutes; a part of an image this old belongs to one that was killed. */
const abandonedMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Pulls an image to `TARGET.RANDOM.partial` and renames it when it is whole, so that `target` is never a part of an
 * image (with a cache Apptainer does so itself, without one it does not), and two pulls at once, perhaps on two
 * machines with one home, keep out of each other's way. Whatever happens, no temporary file is left.
 * @throws Cancelled when `signal` was aborted, UserError `pull.…` or `imageSource.…`
 */
export async function pullImage(request: PullRequest): Promise<void> {
  const source = checkImageSource(request.source);
  const partial = `${request.target}.${randomBytes(8).toString('hex')}.partial`;
  await makeTargetFolder(request.target);
  await removeAbandoned(request.target);
  const temporaryFolder = await makeTemporaryFolder(request.environment);
  try {
    await runPull(request, source, partial, temporaryFolder);
    if (!(await isSifFile(partial))) {
      throw new UserError(
        'pull.notSif',
        message(
          'What was pulled from {0} is not an image that Apptainer can run. Choose another one in the setting {1}.',
          source,
          sourceSetting,
        ),
        { kind: 'openSetting', setting: sourceSetting },
      );
    }
    await rename(partial, request.target);
  } finally {
    // what can't be removed must not hide why the pull failed
    const complain = (error: unknown): void => request.onLine?.(String(error));
    await rm(partial, { force: true }).catch(complain);
    await removeTree(temporaryFolder).catch(complain);
  }
}

async function makeTargetFolder(target: string): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UserError(
      'pull.targetNotWritable',
      message(
        "The folder of the image {0} can't be made. Choose another place in the setting {1}.",
        target,
        imageSetting,
      ),
      { kind: 'openSetting', setting: imageSetting },
      { cause: error },
    );
  }
}

/** Removes what pulls left that were killed together with us. */
async function removeAbandoned(target: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(`${basename(target)}.`) || !name.endsWith('.partial')) continue;
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile() === true && Date.now() - stats.mtimeMs > abandonedMilliseconds) {
      await rm(path, { force: true });
    }
  }
}

async function runPull(
  request: PullRequest,
  source: string,
  partial: string,
  temporaryFolder: string,
): Promise<void> {
  const { apptainer, signal, onProgress, onLine } = request;
  const outcome = await runProcess({
    file: apptainer,
    args: ['pull', partial, source],
    env: { ...pullEnvironment(apptainer, request.environment), APPTAINER_TMPDIR: temporaryFolder },
    cwd: '/',
    signal,
    maximumOutputBytes,
    onStderrLine(line) {
      onLine?.(line);
      const stage = pullStage(line);
      if (stage !== undefined) onProgress?.(stage);
    },
  });
  try {
    requireSuccess(apptainer, outcome);
  } catch (error) {
    throw explainPullFailure(outcome.stderr, source, request.target, error);
  }
}

/** A folder of our own, so that what a killed Apptainer leaves can be removed. In it an image is unpacked. */
async function makeTemporaryFolder(environment: Environment): Promise<string> {
  const named = environment['APPTAINER_TMPDIR'] || environment['TMPDIR'];
  const parent = named !== undefined && isAbsolute(named) ? named : '/tmp';
  try {
    return await mkdtemp(join(parent, 'sandboxed-agent-pull-'));
  } catch (error) {
    throw new UserError(
      'pull.noTemporaryFolder',
      message(
        'No temporary folder can be made in {0}. Set APPTAINER_TMPDIR to a folder with room for the image, and restart VS Code.',
        parent,
      ),
      { kind: 'showLog' },
      { cause: error },
    );
  }
}

/** What Apptainer says when it begins a stage of a pull (1.2 to 1.5), and what we call it. */
const stages: readonly (readonly [RegExp, Message])[] = [
  [/Converting OCI blobs|Starting build/, message('Asking the registry…')],
  [/Fetching OCI image|Downloading (library|oras|net|shub|network) ?image/i, message('Downloading…')],
  [/Extracting OCI image/, message('Unpacking…')],
  [/Creating SIF file/, message('Writing the image…')],
  [/Using cached SIF image/, message('Copying the image, which was pulled before…')],
];

/** The stage that begins with this line of Apptainer's, in our words. */
function pullStage(line: string): Message | undefined {
  return stages.find(([pattern]) => pattern.test(line))?.[1];
}
