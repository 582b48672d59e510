import { ProcessError, requireSuccess, runProcess } from '../host/runProcess';
import { type Environment, pullEnvironment } from '../sandbox/hostEnvironment';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { compareVersions, type ProgramVersion } from './version';

export interface LoginRequest {
  /** the `apptainer` program, resolved */
  readonly apptainer: string;
  readonly version: ProgramVersion;
  /** with its port, if it has one */
  readonly host: string;
  /** is seen by other users of this computer while the login goes on */
  readonly user: string;
  /** goes through standard input alone; Apptainer keeps it in its own file in the home folder */
  readonly password: string;
  readonly environment: Environment;
  readonly signal?: AbortSignal | undefined;
}

/** `apptainer registry` came with 1.3; before, `remote login` did the same (its changelog). */
const withRegistry = { major: 1, minor: 3, patch: 0 } as const;

/** The host of a source, as a registry is called. @returns undefined for what has none, such as `library://` */
export function registryOf(source: string): string | undefined {
  const [, host = ''] = /^(?:docker|oras):\/\/([^/]+)\//.exec(source) ?? [];
  // without a dot or a port it is the first part of a name on Docker Hub
  return /[.:]|^localhost$/.test(host) ? host : undefined;
}

/**
 * Logs in to a registry, for all later pulls.
 * @throws UserError `login.failed`, Cancelled
 */
export async function loginToRegistry(request: LoginRequest): Promise<void> {
  const { apptainer: file, version, host, user, password, environment, signal } = request;
  const command = compareVersions(version, withRegistry) < 0 ? 'remote' : 'registry';
  try {
    const outcome = await runProcess({
      file,
      args: [command, 'login', '--username', user, '--password-stdin', `docker://${host}`],
      env: pullEnvironment(file, environment),
      cwd: '/',
      standardInput: password,
      timeoutMilliseconds: 60_000,
      maximumOutputBytes: 8192,
      signal,
    });
    requireSuccess(file, outcome);
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    throw new UserError(
      'login.failed',
      message('The registry {0} did not accept this login. What Apptainer said is in the log.', host),
      { kind: 'showLog' },
      { cause: error },
    );
  }
}
