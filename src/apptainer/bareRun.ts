import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOwnedFolder } from '../host/ownedFolder';
import { removeTree } from '../host/removeTree';
import { type ProcessOutcome, runProcess } from '../host/runProcess';
import { type Environment, toolEnvironment } from '../sandbox/hostEnvironment';
import { mountArgument } from '../sandbox/binds';
import { isolationArguments, launchEnvironment } from '../sandbox/launchPlan';
import { seccompProfile } from '../sandbox/seccompProfile';

export interface BareRunRequest {
  /** the `apptainer` program, resolved */
  readonly apptainer: string;
  readonly image: string;
  /** a program of the image, and its arguments */
  readonly command: readonly string[];
  /** the user's environment, of which an allow-list is used */
  readonly environment: Environment;
  /** variables inside */
  readonly insideEnvironment?: Readonly<Record<string, string>> | undefined;
  /** a file that came out of the very image, bound read-only; nothing else may be */
  readonly copy?: { readonly source: string; readonly destination: string } | undefined;
  /** is told all of standard output, of which nothing else is kept then; it must not throw */
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  readonly timeoutMilliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

const maximumOutputBytes = 65536;
const home = '/home/agent';

/**
 * Runs a program of an image to its end in a container with the isolation of every sandbox, no network, a home in
 * memory, and nothing of this computer bound but what came out of the image. All of that is asked for and not verified: it is not held at a gate. Where
 * Apptainer does not do what it is asked for, a program of the image can reach what the user can.
 * @throws ProcessError when it could not be started or took too long, Cancelled; any exit code is an outcome
 */
export async function runBare(request: BareRunRequest): Promise<ProcessOutcome> {
  const { apptainer, image, command, environment, insideEnvironment = {}, copy, ...limits } = request;
  // `--home` breaks on a colon, which another folder for temporary files could have in its name
  const folder = await makeOwnedFolder('/tmp', 'bare');
  try {
    const profile = join(folder, 'seccomp.json');
    await writeFile(profile, JSON.stringify(seccompProfile(process.arch)), { mode: 0o600 });
    await mkdir(join(folder, 'home'), { mode: 0o700 });
    return await runProcess({
      file: apptainer,
      args: [
        ...isolationArguments({ network: 'none' }, { seccompProfile: profile }),
        ...(copy ? ['--mount', mountArgument({ ...copy, mode: 'readOnly' })] : []),
        // `--home` alone would bind a folder of this computer; without it there is no $HOME
        ...['--scratch', home, '--home', `${join(folder, 'home')}:${home}`, '--pwd', '/'],
        image,
        ...command,
      ],
      env: launchEnvironment({ insideEnvironment }, toolEnvironment(apptainer, environment)),
      cwd: '/',
      maximumOutputBytes,
      ...limits,
    });
  } finally {
    await removeTree(folder);
  }
}
