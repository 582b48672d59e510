import { constants } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { settingKeys, settingName } from '../contributions';
import { identify } from '../host/fileIdentity';
import { allows, kindOfError, followPath } from '../host/folderFacts';
import { isSameContent } from '../host/hashFile';
import { ProcessError, runProcess } from '../host/runProcess';
import { canStandOnSearchPath, type Environment, toolEnvironment } from '../sandbox/hostEnvironment';
import { type Message, message } from '../sandbox/message';
import { isSameOrInside } from '../sandbox/paths';
import type { FileIdentity } from '../sandbox/specification';
import { type RemedyAction, UserError } from '../sandbox/userError';
import { compareVersions, oldestVersion, parseVersion, type ProgramVersion } from './version';

export interface FindRequest {
  /** the setting `sandboxedAgent.apptainerPath`; undefined or empty: look in the usual places */
  readonly configuredPath?: string | undefined;
  /** resolved folders that an agent can write: no program of the host is run from there */
  readonly forbiddenFolders: readonly string[];
  /** the user's environment */
  readonly environment: Environment;
  readonly signal?: AbortSignal | undefined;
  /** where to look without a setting; the usual places unless a test says otherwise */
  readonly usualPlaces?: readonly string[] | undefined;
}

export interface FoundApptainer {
  /** resolved */
  readonly path: string;
  readonly version: ProgramVersion;
}

/**
 * Packages put it into /usr/bin, builds into /usr/local or /opt/apptainer. The last is where the Open Science Grid
 * publishes it for clusters with CVMFS. PATH is not searched: a project folder or virtual environment can be on it.
 */
const usualPlaces = [
  '/usr/bin/apptainer',
  '/usr/local/bin/apptainer',
  '/opt/apptainer/bin/apptainer',
  '/cvmfs/oasis.opensciencegrid.org/mis/apptainer/current/bin/apptainer',
];
const usualSingularityPlaces = ['/usr/bin/singularity', '/usr/local/bin/singularity'];

const pathSetting = settingName(settingKeys.apptainerPath);
const setPath: RemedyAction = { kind: 'openSetting', setting: pathSetting };
/**
 * What programs have said of themselves, by their path, for as long as the files are the same. A window asks once: asking
 * takes Apptainer 14 ms (measured), at each start.
 */
const known = new Map<string, { readonly identity: FileIdentity; readonly version: ProgramVersion }>();

/** CVMFS fetches the program at its first start. */
const versionTimeoutMilliseconds = 30_000;

/**
 * Finds the Apptainer to use and asks for its version.
 * @throws UserError `apptainer.notAbsolute`, `.notFound`, `.notExecutable`, `.replaceable`, `.colonInPath`,
 *   `.notApptainer`, `.tooOld`
 */
export async function findApptainer(request: FindRequest): Promise<FoundApptainer> {
  const { configuredPath } = request;
  if (configuredPath !== undefined && configuredPath !== '') return examine(configuredPath, request);
  const places = request.usualPlaces ?? [...usualPlaces, ...usualSingularityPlaces];
  let firstError: UserError | undefined;
  for (const place of places) {
    try {
      return await examine(place, request);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.code !== 'apptainer.notFound') firstError ??= error;
    }
  }
  throw firstError ?? notFoundAnywhere(places);
}

async function examine(path: string, request: FindRequest): Promise<FoundApptainer> {
  if (!isAbsolute(path) || path.includes('\0')) {
    throw problem(
      'notAbsolute',
      message(
        'The setting {0} must be the full path of the apptainer program, starting with /.',
        pathSetting,
      ),
    );
  }
  const program = await resolveProgram(path);
  const { entries } = await followPath(path);
  const exposing = request.forbiddenFolders.find((folder) =>
    entries.some((entry) => isSameOrInside(folder, entry)),
  );
  if (exposing !== undefined) {
    throw problem(
      'replaceable',
      message(
        'Apptainer at {0} is inside {1}, where an agent could replace it. Use one from outside.',
        path,
        exposing,
      ),
    );
  }
  if (!canStandOnSearchPath(program)) {
    throw problem(
      'colonInPath',
      message("Apptainer at {0} can't be used: its folder has a colon in its name.", program),
    );
  }
  // before it is asked: what is put in its place meanwhile is asked anew
  const identity = await identify(program);
  const earlier = known.get(program);
  if (earlier?.identity.device === identity.device && isSameContent(earlier.identity, identity))
    return { path: program, version: earlier.version };
  const version = await askVersion(program, request);
  known.set(program, { identity, version });
  return { path: program, version };
}

async function resolveProgram(path: string): Promise<string> {
  let program: string;
  try {
    program = await realpath(path);
  } catch (error) {
    if (kindOfError(error) === 'unreachable') throw notExecutable(path);
    throw problem('notFound', message('There is no {0}, which the setting {1} names.', path, pathSetting));
  }
  const stats = await stat(program);
  if (!stats.isFile() || !(await allows(program, constants.X_OK))) throw notExecutable(path);
  // anybody on this machine could put a program of their own in its place
  if ((stats.mode & 0o002) !== 0) {
    throw problem(
      'replaceable',
      message(
        'Apptainer at {0} can be changed by every user of this machine. Use another one, or run chmod o-w on it.',
        path,
      ),
    );
  }
  return program;
}

async function askVersion(program: string, request: FindRequest): Promise<ProgramVersion> {
  const version = parseVersion(await askForVersion(program, request));
  if (version?.program !== 'apptainer') {
    throw problem(
      'notApptainer',
      message(
        "{0} is not Apptainer (it may be Singularity, whose sandbox can't be verified). Install Apptainer {1} or newer.",
        program,
        floorText,
      ),
    );
  }
  if (compareVersions(version, oldestVersion) < 0) {
    throw problem(
      'tooOld',
      message(
        'Apptainer {0} at {1} is too old. Version {2} or newer is needed.',
        version.text,
        program,
        floorText,
      ),
    );
  }
  return version;
}

async function askForVersion(program: string, request: FindRequest): Promise<string> {
  try {
    const outcome = await runProcess({
      file: program,
      args: ['--version'],
      env: toolEnvironment(program, request.environment),
      cwd: '/',
      signal: request.signal,
      timeoutMilliseconds: versionTimeoutMilliseconds,
      maximumOutputBytes: 4096,
    });
    return outcome.stdout;
  } catch (error) {
    if (error instanceof ProcessError) throw notExecutable(program, error);
    throw error;
  }
}

const floorText = `${oldestVersion.major}.${oldestVersion.minor}`;

function notExecutable(path: string, cause?: ProcessError): UserError {
  return new UserError(
    'apptainer.notExecutable',
    message(
      "{0} can't be run as a program. Check its permissions, or name another one in the setting {1}.",
      path,
      pathSetting,
    ),
    setPath,
    { cause },
  );
}

function notFoundAnywhere(places: readonly string[]): UserError {
  return problem(
    'notFound',
    message(
      'Apptainer was not found in the usual places ({0}). Install it, or put its full path into the setting {1} (after “module load apptainer” a terminal prints it with “command -v apptainer”).',
      places.filter((place) => place.endsWith('/apptainer')).join(', '),
      pathSetting,
    ),
  );
}

function problem(code: string, description: Message): UserError {
  return new UserError(`apptainer.${code}`, description, setPath);
}
