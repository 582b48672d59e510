import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Canaries } from '../../src/probes/host/canaries';
import { runCommand } from '../setup/command';
import { installOpencode, opencodeVersion } from '../setup/opencodePackage';
import { cacheFolder } from '../setup/paths';
import { step } from '../setup/progress';
import { isMadeFrom, makeWholeFolder } from '../../src/host/madeFolder';
import { CommandTarget } from './commandTarget';
import { userEnvironment, type TargetParts } from './targets';

/** The version whose documentation says how it is to be configured. */
const runtimeVersion = '0.0.83';

/** Programs of this very system's packages, which fit its libraries, without root. @returns their folder */
async function unpacked(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(cacheFolder, 'probes', name);
  const recipe = [folder, ...packages].join('\n');
  if (!(await isMadeFrom(folder, recipe))) {
    await step(`Getting ${packages.join(', ')} from this system’s packages`, () =>
      makeWholeFolder(folder, recipe, async (partial) => {
        await runCommand('apt-get', ['--quiet', 'download', ...packages], { cwd: partial });
        for (const file of (await readdir(partial)).filter((entry) => entry.endsWith('.deb'))) {
          await runCommand('dpkg-deb', ['--extract', join(partial, file), partial]);
        }
      }),
    );
  }
  return folder;
}

/** opencode for the host itself: its Bun runs the inside part where there is no image. @returns its path */
async function hostOpencode(): Promise<string> {
  const folder = join(cacheFolder, 'probes', 'opencode');
  const recipe = [folder, opencodeVersion].join('\n');
  if (!(await isMadeFrom(folder, recipe))) {
    await step('Getting opencode', () => makeWholeFolder(folder, recipe, installOpencode));
  }
  return join(folder, 'opencode');
}

function inBun(opencode: string, program: readonly string[]): string[] {
  return ['env', 'BUN_BE_BUN=1', opencode, ...program];
}

/** bubblewrap as it is commonly configured for agents: the computer read-only, the folder writable. */
export async function bubblewrapTarget({ bundles, image }: TargetParts): Promise<CommandTarget> {
  const bwrap = await findBubblewrap();
  const opencode = await hostOpencode();
  const options = (workspace: string): string[] => [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...['--bind', workspace, workspace, '--unshare-pid', '--unshare-net', '--die-with-parent'],
    ...['--chdir', workspace],
  ];
  return new CommandTarget({
    ...{ name: 'bwrap', network: 'none', script: join(bundles, 'probes.mjs'), image },
    describe: () => ({
      argv: ['bwrap', ...options('$PWD')],
      versions: { bubblewrap: versionOf(bwrap), node: process.version },
    }),
    command: ({ workspace }, program) => ({
      file: bwrap,
      args: [...options(workspace), ...inBun(opencode, program)],
      cwd: workspace,
      environment: userEnvironment('/usr/bin:/bin'),
    }),
  });
}

async function findBubblewrap(): Promise<string> {
  if (existsSync('/usr/bin/bwrap')) return '/usr/bin/bwrap';
  return join(await unpacked('bubblewrap', ['bubblewrap']), 'usr/bin/bwrap');
}

function versionOf(program: string): string {
  return execFileSync(program, ['--version'], { encoding: 'utf8', env: {} }).replace(/^\D+/, '').trim();
}

/** npm's `@anthropic-ai/sandbox-runtime`, configured to write the folder only and to reach one host. */
export async function sandboxRuntimeTarget({ bundles, image }: TargetParts): Promise<CommandTarget> {
  const opencode = await hostOpencode();
  const helpers = await unpacked('sandbox-runtime-helpers', ['bubblewrap', 'socat', 'libwrap0', 'ripgrep']);
  const folder = await installRuntime();
  const program = join(folder, 'node_modules/.bin/srt');
  const manifest = join(folder, 'node_modules/@anthropic-ai/sandbox-runtime/package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string };
  return new CommandTarget({
    ...{ name: 'srt', network: 'restricted', script: join(bundles, 'probes.mjs'), image },
    describe: () => ({
      argv: ['srt', '--settings', 'srt-settings.json', '--', '…'],
      versions: { 'sandbox-runtime': version, bubblewrap: versionOf(join(helpers, 'usr/bin/bwrap')) },
    }),
    command: (canaries, inside) => ({
      file: program,
      args: ['--settings', writeSettings(canaries), ...inBun(opencode, inside)],
      cwd: canaries.workspace,
      environment: {
        ...userEnvironment(`${join(helpers, 'usr/bin')}:${dirname(process.execPath)}:/usr/bin:/bin`),
        // of socat
        LD_LIBRARY_PATH: join(
          helpers,
          `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`,
        ),
      },
      // it would take the user's proxy for its way out
      without: { variables: /^https?_proxy$/i, secret: 'proxyPassword' },
    }),
  });
}

/** Into a folder of its own that is git-ignored. */
async function installRuntime(): Promise<string> {
  const folder = join(cacheFolder, 'probes', `sandbox-runtime-${runtimeVersion}`);
  if (!existsSync(join(folder, 'node_modules/.bin/srt'))) {
    await mkdir(folder, { recursive: true });
    await step('Getting @anthropic-ai/sandbox-runtime from npm', () =>
      runCommand('npm', [
        ...['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'],
        `@anthropic-ai/sandbox-runtime@${runtimeVersion}`,
      ]),
    );
  }
  return folder;
}

/** What its documentation has for "write only this folder, reach one host". */
function writeSettings({ root, workspace, allowedHosts }: Canaries): string {
  const path = join(root, 'srt-settings.json');
  const settings = {
    network: { allowedDomains: allowedHosts.slice(0, 1), deniedDomains: [] },
    filesystem: { denyRead: ['~/.ssh'], allowWrite: [workspace], denyWrite: [] },
  };
  writeFileSync(path, JSON.stringify(settings, undefined, 2), { mode: 0o600 });
  return path;
}
