import { forwardsOf, proxyEnvironment } from './gatewayPlan';
import { mountArgument, sandboxBinds, type Bind } from './binds';
import { homeMountPoint, seenFromInside, type RunDirectory } from './runDirectory';
import {
  type FileIdentity,
  type NetworkMode,
  runsOpencode,
  type SandboxSpecification,
} from './specification';

/** What must be true of the live container before its gate opens, and while it runs. */
export interface Expectation {
  readonly network: NetworkMode;
  readonly binds: readonly Bind[];
  readonly image: FileIdentity;
  /** variables that we set inside ourselves */
  readonly environmentNames: readonly string[];
  /** those that the user gives to the agent, whatever they hold */
  readonly shownNames: readonly string[];
}

/** One start of Apptainer as data: nothing here touches the system. */
export interface LaunchPlan {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly expectation: Expectation;
}

/** Exit status of the gate when it was not opened; nothing of the agent's ran then. */
export const gateDeniedStatus = 86;

/** What the supervisor writes into the gate to open it. */
export const gateWord = 'run';

/**
 * Where no file names the time zone it is UTC. Bun searches all files of time zones for one that is like a missing one, at
 * each start: 1500 of them through the image's file system, 80 ms (measured with opencode 1.18).
 */
const zoneScript = '[ -e /etc/localtime ] || export TZ="${TZ:-UTC}"';

/**
 * The only shell text of the project, a constant: waits at the gate, then becomes the command in its arguments.
 * It runs before anything of the agent's does, so that the container can be verified while it waits.
 */
const gateScript = `read -r word <"$1"; [ "$word" = ${gateWord} ] || exit ${gateDeniedStatus}; ${zoneScript}; shift; exec "$@"`;

/** bash where the image has it. */
export const shellScript = 'if command -v bash >/dev/null; then exec bash; else exec sh; fi';

/**
 * A shell whose programs reach the gateway: the companion starts it. An image without opencode has no Bun to run the
 * companion; there the shell has no network at all.
 */
const shellByCompanionScript = `command -v opencode >/dev/null && exec "$@"; cd -- "$0"; ${shellScript}`;

/**
 * Plans the start of one sandbox.
 *
 * @param hostEnvironment the environment for Apptainer itself, built from nothing (see `hostEnvironment.ts`)
 * @param shownEnvironment variables that the user chose to show to the agent
 */
export function planLaunch(
  specification: SandboxSpecification,
  run: RunDirectory,
  hostEnvironment: Readonly<Record<string, string>>,
  shownEnvironment: Readonly<Record<string, string>> = {},
): LaunchPlan {
  const binds = sandboxBinds(specification, run);
  const ownEnvironment = {
    ...specification.insideEnvironment,
    ...proxyEnvironment(specification),
    ...(specification.withoutCatalogue === true && {
      OPENCODE_MODELS_PATH: seenFromInside(run.emptyCatalogue, run),
    }),
  };
  const insideEnvironment = { ...shownEnvironment, ...ownEnvironment };
  return {
    file: specification.apptainer,
    arguments: [
      ...containerArguments(specification, run),
      '--pwd',
      // Bun would run bunfig.toml and .env of the folder it starts in: the companion changes directory later
      hasCompanion(specification, run) ? '/' : specification.workspace.path,
      specification.image.path,
      ...insideCommand(specification, run),
    ],
    environment: launchEnvironment({ insideEnvironment }, hostEnvironment),
    expectation: {
      network: specification.network,
      binds,
      image: specification.image.identity,
      environmentNames: Object.keys(ownEnvironment),
      shownNames: Object.keys(shownEnvironment),
    },
  };
}

/** Whether our companion starts the program: it does but for what has nothing to reach. */
export function hasCompanion(specification: SandboxSpecification, run: RunDirectory): boolean {
  const { kind } = specification;
  return runsOpencode(kind) || (kind === 'shell' && forwardsOf(specification, run).length > 0);
}

/** What makes the container what it is, without the folder it starts in, the image and the command. */
export function containerArguments(specification: SandboxSpecification, run: RunDirectory): string[] {
  return [
    ...isolationArguments(specification, run),
    ...sandboxBinds(specification, run).flatMap((bind) => ['--mount', mountArgument(bind)]),
    ...homeArguments(specification, run),
  ];
}

/** What every container of ours has, whatever is bound into it. */
export function isolationArguments(
  specification: Pick<SandboxSpecification, 'network'>,
  run: Pick<RunDirectory, 'seccompProfile'>,
): string[] {
  return [
    '-q',
    'exec',
    // forces a user namespace where Apptainer is installed setuid; changes nothing elsewhere
    '--userns',
    '--containall',
    '--cleanenv',
    // otherwise values of variables are evaluated by a shell inside the container (measured)
    '--no-eval',
    '--no-mount',
    'sys,bind-paths,home',
    // both: before Apptainer 1.1.4 `--network` without `--net` was ignored
    ...(specification.network === 'open' ? [] : ['--net', '--network', 'none']),
    '--hostname',
    'sandbox',
    '--drop-caps',
    'all',
    '--security',
    `seccomp:${run.seccompProfile}`,
  ];
}

/** `--home` breaks on a colon, so it names a folder of ours and the real home is one of the binds. */
function homeArguments({ home, workspace }: SandboxSpecification, run: RunDirectory): string[] {
  const mountPoint = homeMountPoint(workspace.path);
  const scratch = home.kind === 'memory' ? ['--scratch', mountPoint] : [];
  return [...scratch, '--home', `${run.home}:${mountPoint}`];
}

function insideCommand(specification: SandboxSpecification, run: RunDirectory): string[] {
  const gate = gateCommand(run);
  const { kind, program, workspace } = specification;
  if (!hasCompanion(specification, run)) {
    return [...gate, ...(program ?? ['/bin/sh', '-c', shellScript])];
  }
  const companion = [...scriptCommand(run), seenFromInside(run.companionSocket, run)];
  return kind === 'shell'
    ? [...gate, '/bin/sh', '-c', shellByCompanionScript, workspace.path, ...companion]
    : [...gate, ...companion];
}

/** Waits at the gate, then becomes the command that follows. */
export function gateCommand(run: RunDirectory): string[] {
  return ['/bin/sh', '-c', gateScript, 'gate', seenFromInside(run.gate, run)];
}

/** Our own script, under the image's Bun. It must start in `/`: Bun would run what lies in the folder it starts in. */
export function scriptCommand(run: RunDirectory): string[] {
  return [...bunCommand, seenFromInside(run.companion, run)];
}

/** The image's Bun, for a script of ours: what lies in the folder that it starts in must not run before it. */
export const bunCommand = ['env', 'BUN_BE_BUN=1', 'opencode', '--no-env-file', '--config=/dev/null'] as const;

/** The environment for Apptainer, and through it for the container. @param hostEnvironment as {@link planLaunch} has it */
export function launchEnvironment(
  { insideEnvironment }: Pick<SandboxSpecification, 'insideEnvironment'>,
  hostEnvironment: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...hostEnvironment, ...asApptainerEnvironment(insideEnvironment) };
}

/** With `--cleanenv` Apptainer passes on what is called APPTAINERENV_NAME; it never shows in anybody's argv. */
function asApptainerEnvironment(inside: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(inside).map(([name, value]) => [`APPTAINERENV_${name}`, value]));
}
