import { join } from 'node:path';
import { findApptainer } from '../../src/apptainer/find';
import { message } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';
import {
  isUnpacked,
  unpackApptainer,
  unpackedApptainerMegabytes,
  unpackedProgram,
} from '../../src/setup/apptainerUnpacked';
import { hasApt } from '../../src/setup/debianArchive';
import { installCommands } from '../../src/setup/distribution';
import { readDistribution } from '../../src/setup/systemFiles';
import { commandList, runCommand } from './command';
import { debianFolder } from './debian';
import { checkKernelSupport } from './kernelSupport';
import { cacheFolder } from './paths';
import { say, step } from './progress';

const installPage = 'https://apptainer.org/docs/admin/main/installation.html';

/**
 * The Apptainer to use: the one that the variable SANDBOXED_AGENT_APPTAINER names, else one in the usual places,
 * else (on Debian, Ubuntu and their like) Debian's, unpacked without root into the git-ignored cache.
 * @param forbiddenFolders folders that an agent can write
 * @throws UserError; `setup.apptainerMissing` tells how to install it
 */
export async function ensureApptainer(forbiddenFolders: readonly string[] = []): Promise<string> {
  const environment = process.env;
  const configuredPath = environment['SANDBOXED_AGENT_APPTAINER'];
  try {
    return (await findApptainer({ configuredPath, forbiddenFolders, environment })).path;
  } catch (error) {
    if (!(error instanceof UserError) || (configuredPath !== undefined && configuredPath !== '')) {
      throw error;
    }
    if (error.code !== 'apptainer.notFound') {
      say(error.message);
    }
  }
  if (!hasApt()) {
    throw await missing();
  }
  await checkKernelSupport();
  const program = await ensureUnpacked();
  return (await findApptainer({ configuredPath: program, forbiddenFolders, environment })).path;
}

async function ensureUnpacked(): Promise<string> {
  const folder = join(cacheFolder, 'apptainer');
  if (!(await isUnpacked(folder))) {
    const title = `Getting Apptainer from Debian, without root (${unpackedApptainerMegabytes} MB, once)`;
    await step(title, () => unpackApptainer(folder, debianFolder('unstable'), runCommand));
  }
  return unpackedProgram(folder);
}

async function missing(): Promise<UserError> {
  const commands = installCommands(await readDistribution());
  return new UserError(
    'setup.apptainerMissing',
    commands.length === 0
      ? message('Please install Apptainer 1.2 or newer ({0}) and try again.', installPage)
      : message('Please install Apptainer, and try again:{0}', commandList(commands)),
  );
}
