import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOwnedFolder } from '../host/ownedFolder';
import { removeTree } from '../host/removeTree';
import { requireSuccess, runProcess } from '../host/runProcess';
import { type Environment, pullEnvironment } from '../sandbox/hostEnvironment';
import { message } from '../sandbox/message';
import { Cancelled, UserError } from '../sandbox/userError';
import { checkImageSource } from './imageSource';
import { explainPullFailure } from './pullErrors';
import { cacheFolder } from './pullFolders';
import { pinnedDigest } from './pullNetwork';
import { pullFlags } from './pullProcess';
import { compareVersions, type ProgramVersion } from './version';

/** What a registry is asked about. */
export interface RegistryQuestion {
  /** the `apptainer` program, resolved */
  readonly apptainer: string;
  readonly version: ProgramVersion;
  /** such as `docker://ghcr.io/anomalyco/opencode` */
  readonly source: string;
  /** the user's environment, of which an allow-list is used */
  readonly environment: Environment;
  readonly signal?: AbortSignal | undefined;
  /** how long Apptainer may take */
  readonly timeoutMilliseconds?: number;
}

export interface DigestRequest extends RegistryQuestion {
  /** the image that was pulled from it just now */
  readonly image: string;
  /** is told why Apptainer did not tell, for the log */
  readonly onLine?: ((line: string) => void) | undefined;
}

const said = /source image digest for \S+ is ([0-9a-f]{64})/;
const cachedAs = /docker\.GetDigest digest for \S+ is ([0-9a-f]{64})/;
/** Why it gives up; what it only notes on its way is not about that. */
const gaveUp = /^\S*(?:FATAL|ERROR)/;
/** The first Apptainer that tells; an older one would pull the image, for as long as it is let. */
const firstThatTells = { major: 1, minor: 4, patch: 0 } as const;
const usualTimeoutMilliseconds = 30_000;
const keptCharacters = 10_000;

/** Whether a registry can be asked for the digest of a source: only of images of layers, of which Apptainer tells it. */
export function hasDigest(source: string): boolean {
  return source.startsWith('docker://');
}

/**
 * The digest of the manifest that an image was pulled from. Apptainer (1.4) keeps it nowhere and tells it only when it
 * is asked to debug, so it is asked once more, and ended as soon as it has told: nothing is pulled. That the answer is
 * about our image is seen from its cache, where the digest names a file that has our image's size.
 * @returns `sha256:…`; undefined where it can't be known
 */
export async function sourceDigest(request: DigestRequest): Promise<string | undefined> {
  const { source, environment, image } = request;
  if (!hasDigest(source)) return undefined;
  const pinned = pinnedDigest(source);
  if (pinned !== undefined) return pinned;
  if (!doesTell(request.version)) return undefined;
  const answer = await ask(request, { needsCacheName: true });
  const { digest, cacheName } = answer;
  const cache = cacheFolder(environment);
  if (digest === undefined || cacheName === undefined) {
    request.onLine?.(`Apptainer did not tell which image ${source} is: ${reasonOf(answer).message}`);
    return undefined;
  }
  if (cache === undefined) return undefined;
  const sizes = await Promise.all([join(cache, 'oci-tmp', cacheName), image].map(sizeOf));
  return sizes[0] !== undefined && sizes[0] === sizes[1] ? `sha256:${digest}` : undefined;
}

/**
 * Asks the registry which manifest a source is now. Nothing is pulled, and Apptainer's cache is left alone.
 * @returns `sha256:…`
 * @throws Cancelled, UserError `pull.…` when the registry does not tell, `update.silent` when Apptainer does not,
 *   `update.apptainerTooOld` when it can't
 */
export async function registryDigest(question: RegistryQuestion): Promise<string> {
  const source = checkImageSource(question.source);
  if (!doesTell(question.version)) {
    throw new UserError(
      'update.apptainerTooOld',
      message(
        'Apptainer {0} can’t tell which image {1} is now: version {2} or newer can.',
        ...[question.version.text, source, `${firstThatTells.major}.${firstThatTells.minor}`],
      ),
    );
  }
  const answer = await ask({ ...question, source }, { needsCacheName: false });
  if (question.signal?.aborted) throw new Cancelled(`${source} was not asked about to the end`);
  if (answer.digest !== undefined) return `sha256:${answer.digest}`;
  const cause = reasonOf(answer);
  const failure = explainPullFailure(answer.problem, source, '', cause);
  if (failure.code !== 'pull.failed') throw failure;
  throw new UserError(
    'update.silent',
    message('Which image {0} is now could not be found out. The log says more.', source),
    { kind: 'showLog' },
    { cause },
  );
}

interface Answer {
  digest: string | undefined;
  cacheName: string | undefined;
  /** what Apptainer said last, for the log */
  problem: string;
  /** what became of it, unless it was ended because it had told enough, or ended well */
  failure: unknown;
}

/** Why there is no answer; for the log. */
function reasonOf({ problem, failure }: Answer): Error {
  if (problem === '' && failure instanceof Error) return failure;
  return new Error(problem || 'no answer', { cause: failure });
}

function doesTell(version: ProgramVersion): boolean {
  return compareVersions(version, firstThatTells) >= 0;
}

/** @param needsCacheName goes on until it tells that, too, of the user's cache; else that is left alone */
async function ask(
  { apptainer, source, environment, signal, timeoutMilliseconds }: RegistryQuestion,
  { needsCacheName }: { readonly needsCacheName: boolean },
): Promise<Answer> {
  const folder = await makeOwnedFolder('/tmp', 'digest');
  const enough = new AbortController();
  const answer: Answer = { digest: undefined, cacheName: undefined, problem: '', failure: undefined };
  const running = runProcess({
    file: apptainer,
    // into a folder that is not there, should it come so far
    args: ['--debug', 'pull', ...pullFlags(source), join(folder, 'missing', 'image.sif'), source],
    env: {
      ...pullEnvironment(apptainer, environment),
      APPTAINER_TMPDIR: folder,
      ...(needsCacheName ? {} : { APPTAINER_CACHEDIR: folder }),
    },
    cwd: '/',
    timeoutMilliseconds: timeoutMilliseconds ?? usualTimeoutMilliseconds,
    // what is needed of it is read line by line
    maximumOutputBytes: 0,
    signal: signal ? AbortSignal.any([signal, enough.signal]) : enough.signal,
    onStderrLine(line) {
      answer.digest ??= said.exec(line)?.[1];
      answer.cacheName ??= cachedAs.exec(line)?.[1];
      if (gaveUp.test(line)) answer.problem = `${answer.problem}${line}\n`.slice(-keptCharacters);
      if (answer.digest !== undefined && (!needsCacheName || answer.cacheName !== undefined)) enough.abort();
    },
  });
  try {
    requireSuccess(apptainer, await running);
  } catch (error) {
    if (!(error instanceof Cancelled)) answer.failure = error;
  }
  await removeTree(folder);
  return answer;
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
