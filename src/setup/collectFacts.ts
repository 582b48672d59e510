import { constants } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { runBare } from '../apptainer/bareRun';
import { findApptainer, type FoundApptainer } from '../apptainer/find';
import { readImageFacts } from '../apptainer/imageFacts';
import { readPlace } from '../host/folderFacts';
import { codeOf } from '../host/safeFiles';
import { ProcessError } from '../host/runProcess';
import type { Environment } from '../sandbox/hostEnvironment';
import { message } from '../sandbox/message';
import { refuseImage } from '../sandbox/refuseImage';
import { findStartFailure } from '../sandbox/startFailures';
import { UserError } from '../sandbox/userError';
import { hasApt } from './debianArchive';
import { parseDistribution } from './distribution';
import type { SetupFacts, Trial, UserNamespaceFacts } from './facts';
import { findCandidates } from './candidates';
import { readFolderSpaces } from './folderSpaces';
import { ownApptainer } from './ownApptainer';
import { inspectProgram } from './program';

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
  const apptainer = await found(request);
  const image = await imageOf(request);
  return {
    platform: request.platform,
    architecture: process.arch,
    userId: request.userId,
    distribution: parseDistribution(await readText('/etc/os-release')),
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
    userNamespaces: await readUserNamespaces(),
    fuse: await openFuse(),
    hasSeccomp: /^Seccomp:/m.test(await readText('/proc/self/status')),
    folders: await readFolderSpaces(request),
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

async function readUserNamespaces(): Promise<UserNamespaceFacts> {
  const profiles = await readdir('/etc/apparmor.d').catch(() => []);
  return {
    maximum: await readNumber('/proc/sys/user/max_user_namespaces'),
    unprivilegedClone: await readNumber('/proc/sys/kernel/unprivileged_userns_clone'),
    appArmorRestriction: await readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    hasAppArmorProfile: profiles.some((name) => name.includes('apptainer')),
  };
}

async function openFuse(): Promise<SetupFacts['fuse']> {
  try {
    // permissions alone don't say it: a group of devices can be forbidden (cgroups)
    await (await open('/dev/fuse', constants.O_RDWR)).close();
    return 'usable';
  } catch (error) {
    return ['ENOENT', 'ENODEV', 'ENXIO'].includes(codeOf(error) ?? '') ? 'missing' : 'forbidden';
  }
}

async function readNumber(path: string): Promise<number | undefined> {
  const text = (await readText(path)).trim();
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Of a file of the system; empty where there is none. */
async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
