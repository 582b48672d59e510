import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestOf } from '../../src/host/fileDigest';
import { connectSandbox } from '../../src/launch/connect';
import { prepareSandbox, type PreparedSandbox } from '../../src/launch/prepare';
import type { NetworkMode } from '../../src/sandbox/specification';
import { startSupervisor } from '../../src/launch/startSupervisor';
import type { Canaries } from '../../src/probes/host/canaries';
import { OursTarget } from '../../src/probes/host/ours';
import type { TargetDescription } from '../../src/probes/host/target';
import { writeWrapper } from './wrapper';
import { CommandTarget } from './commandTarget';

export interface TargetParts {
  readonly apptainer: string;
  readonly image: string;
  /** the folder with the bundles */
  readonly bundles: string;
  readonly nodePty: string;
  /** extension storage with a copy of opencode, which is used then; default: an empty one */
  readonly storageWithCopy?: string;
}

function versions(apptainer: string): Record<string, string> {
  const text = execFileSync(apptainer, ['--version'], { encoding: 'utf8', env: {} });
  return { apptainer: text.replace(/^\D+/, '').trim(), node: process.version };
}

/** Our own launcher, as the extension uses it, with the environment and the descriptors of somebody careless. */
export async function oursTarget(parts: TargetParts): Promise<OursTarget> {
  const { apptainer, image, bundles } = parts;
  const imageDigest = await digestOf(image);
  return new OursTarget({
    prepare: (canaries) => prepareOurs(parts, canaries),
    startSupervisor: (input, canaries) => {
      canaries.planted('descriptor');
      return startSupervisor({
        nodePath: writeWrapper(canaries, process.execPath),
        script: join(bundles, 'supervisor.js'),
        ...input,
        environment: environmentOf(canaries),
        onLog: (line) => console.error(line),
      });
    },
    connect: connectSandbox,
    describe: (): TargetDescription => ({
      argv: ['Start Sandboxed Agent'],
      versions: versions(apptainer),
      imageDigest,
    }),
  });
}

/** What an agent would get in the folder with the canaries. */
export function prepareOurs(
  { apptainer, image, nodePty, storageWithCopy }: TargetParts,
  canaries: Canaries,
  network: NetworkMode = 'restricted',
): Promise<PreparedSandbox> {
  return prepareSandbox({
    kind: 'probes',
    workspace: canaries.workspace,
    environment: environmentOf(canaries),
    storageDirectory: storageWithCopy ?? storageOf(canaries),
    serverFolders: [],
    settings: {
      ...{ apptainerPath: apptainer, image, agentHome: 'workspace', network },
      detachedTimeoutMilliseconds: 0,
      temporaryFilesLimitBytes: 1024 ** 3,
      opencodeCopy: storageWithCopy !== undefined,
    },
    ...{ ptyModules: [nodePty], platform: process.platform, uid: process.getuid?.() ?? 0 },
  });
}

function environmentOf(canaries: Canaries): Record<string, string | undefined> {
  return { ...process.env, ...canaries.environment };
}

function storageOf(canaries: Canaries): string {
  const folder = join(canaries.root, 'storage');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** What people type: the command of the lesson. */
export async function plainTarget({ apptainer, image, bundles }: TargetParts): Promise<CommandTarget> {
  const imageDigest = await digestOf(image);
  const argv = ['apptainer', 'exec', '--containall', '--bind', '$PWD', '--pwd', '$PWD', 'opencode.sif'];
  return new CommandTarget({
    ...{ name: 'plain', network: 'open', image: realpathSync(image), script: join(bundles, 'probes.mjs') },
    describe: () => ({ argv, versions: versions(apptainer), imageDigest }),
    command: ({ workspace }, program) => ({
      file: 'apptainer',
      args: [
        ...['exec', '--containall', '--bind', workspace, '--pwd', workspace, image],
        ...['env', 'BUN_BE_BUN=1', 'opencode', ...program],
      ],
      cwd: workspace,
      environment: userEnvironment(`${dirname(apptainer)}:/usr/bin:/bin`),
    }),
  });
}

/** The environment of a user's shell. */
export function userEnvironment(path: string): Record<string, string> {
  const { HOME = '/', XDG_RUNTIME_DIR } = process.env;
  return {
    ...{ HOME, PATH: path, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    ...(XDG_RUNTIME_DIR === undefined ? {} : { XDG_RUNTIME_DIR }),
  };
}
