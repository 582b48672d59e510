import { runBare } from '../apptainer/bareRun';
import { refusedPullFolders } from '../apptainer/choosePullFolders';
import { findApptainer, type FoundApptainer } from '../apptainer/find';
import { readImageFacts } from '../apptainer/imageFacts';
import { type PullFolders, withPullFolders } from '../apptainer/pullFolders';
import { readPlace } from '../host/folderFacts';
import { ProcessError } from '../host/runProcess';
import type { Environment } from '../sandbox/hostEnvironment';
import { message } from '../sandbox/message';
import { refuseImage } from '../sandbox/refuseImage';
import { findStartFailure } from '../sandbox/startFailures';
import { UserError } from '../sandbox/userError';
import { hasApt } from './debianArchive';
import type { SetupFacts, Trial } from './facts';
import { findCandidates } from './candidates';
import { readFolderSpaces } from './folderSpaces';
import { readKernelFacts } from './kernelFacts';
import { ownApptainer } from './ownApptainer';
import { inspectProgram } from './program';
import { readDistribution } from './systemFiles';

export interface CollectRequest {
  /** `process.platform` */
  readonly platform: string;
  readonly userId: number;
  /** the user's */
  readonly environment: Environment;
  /** of the extension */
  readonly storageDirectory: string;
  /** the setting `apptainerPath` */
  readonly apptainerPath: string;
  /** what the settings say of folders for pulls and builds */
  readonly pullFolders: PullFolders;
  /** path of the image that sandboxes would get, or empty */
  readonly image: string;
  /** the resolved folders of the window, in which agents can work */
  readonly workspaces: readonly string[];
  /** where the agent's home is, or would be; undefined when it is in memory or no folder is open */
  readonly agentHome: string | undefined;
  /** also starts a container, and writes a little to see whether a quota is used up */
  readonly isThorough: boolean;
  /** called with what Apptainer said when no container could be started, for the log */
  readonly onOutput?: ((output: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Collects what `checkSetup` needs of this computer. Reads small files and asks Apptainer for its version; a start of
 * a container only when asked to. Nothing that the user has not chosen is run.
 * @throws Cancelled
 */
export async function collectSetupFacts(request: CollectRequest): Promise<SetupFacts> {
  const { environment, pullFolders, workspaces, agentHome } = request;
  const apptainer = await found(request);
  const image = await imageOf(request);
  return {
    platform: request.platform,
    architecture: process.arch,
    userId: request.userId,
    distribution: await readDistribution(),
    apptainer:
      apptainer instanceof UserError
        ? { kind: 'unusable', error: apptainer }
        : { kind: 'found', ...apptainer, ...(await inspectProgram(apptainer.path, request)) },
    hasApt: hasApt(),
    candidates:
      apptainer instanceof UserError
        ? await findCandidates(
            request.environment,
            request.workspaces,
            ownApptainer(request.storageDirectory),
          )
        : [],
    ...(await readKernelFacts()),
    folders: await readFolderSpaces({ ...request, environment: withPullFolders(environment, pullFolders) }),
    refusedFolders: await refusedPullFolders(pullFolders, [...workspaces, ...(agentHome ? [agentHome] : [])]),
    image,
    trial:
      request.isThorough && !(apptainer instanceof UserError) && image.kind === 'ready'
        ? await tryContainer(apptainer.path, image.path, request)
        : { kind: 'notTried' },
  };
}

async function found(request: CollectRequest): Promise<FoundApptainer | UserError> {
  try {
    return await findApptainer({
      configuredPath: request.apptainerPath,
      forbiddenFolders: request.workspaces,
      environment: request.environment,
      signal: request.signal,
    });
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

async function imageOf({ image, workspaces }: CollectRequest): Promise<SetupFacts['image']> {
  const facts = await readImageFacts(image);
  const error = refuseImage(facts, await Promise.all(workspaces.map(readPlace)));
  return error ? { kind: 'unusable', error } : { kind: 'ready', path: facts.place.path };
}

/** A cold file system of a cluster takes its time. */
const trialMilliseconds = 60_000;

async function tryContainer(apptainer: string, image: string, request: CollectRequest): Promise<Trial> {
  const start = performance.now();
  const { environment, signal, onOutput } = request;
  const command = ['/bin/sh', '-c', ':'];
  const limits = { timeoutMilliseconds: trialMilliseconds, signal };
  try {
    const { exitCode, stderr } = await runBare({ apptainer, image, command, environment, ...limits });
    if (exitCode === 0) return { kind: 'works', milliseconds: Math.round(performance.now() - start) };
    onOutput?.(stderr);
    return { kind: 'failed', failure: findStartFailure(stderr) };
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    onOutput?.(String(error));
    return { kind: 'failed', failure: { meaning: tookTooLong } };
  }
}

const tookTooLong = message('No container came to its end within a minute. The log says more.');
