import { readFile } from 'node:fs/promises';
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
import { runCommand } from './command';
import { debianFolder } from './debian';
import { checkKernelSupport } from './kernelSupport';
import { cacheFolder } from './paths';
import { say, step } from './progress';

/** How a person gets Apptainer, by the `ID` of os-release(5). */
const installCommands: Readonly<Record<string, string>> = {
  fedora: 'sudo dnf install apptainer',
  rhel: 'sudo dnf install epel-release && sudo dnf install apptainer',
  suse: 'sudo zypper install apptainer',
  arch: 'sudo pacman -S apptainer',
  alpine: 'sudo apk add apptainer',
  gentoo: 'sudo emerge app-containers/apptainer',
  nixos: 'nix-shell -p apptainer',
};
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
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const command = installCommand(release);
  return new UserError(
    'setup.apptainerMissing',
    command === undefined
      ? message('Please install Apptainer 1.2 or newer ({0}) and try again.', installPage)
      : message('Please install Apptainer, and try again:\n  {0}', command),
  );
}

/** The command for a system, from the text of its os-release file; undefined when it is not known. */
export function installCommand(release: string): string | undefined {
  const ids = ['ID', 'ID_LIKE'].flatMap((key) => {
    const value = new RegExp(`^${key}=["']?([^"'\n]*)`, 'm').exec(release)?.[1];
    return (value ?? '').split(' ').map((id) => (id.startsWith('opensuse') ? 'suse' : id));
  });
  return ids.map((id) => installCommands[id]).find((command) => command !== undefined);
}
