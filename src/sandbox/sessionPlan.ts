import * as v from 'valibot';
import { record } from './schemas';
import { mountArgument, type Bind } from './binds';
import {
  gateCommand,
  isolationArguments,
  launchEnvironment,
  scriptCommand,
  type LaunchPlan,
} from './launchPlan';
import { homeMountPoint, insideMountPoint, type RunDirectory } from './runDirectory';
import { absolutePath, identifiedPath, type IdentifiedPath } from './specification';

/** A sandbox in which a script of ours works on what opencode keeps of its sessions. */
export type SessionSandbox = v.InferOutput<typeof sessionSandbox>;

export const sessionSandbox = v.object({
  /** the `apptainer` program, realpath */
  apptainer: absolutePath,
  /** a SIF file with opencode in it */
  image: identifiedPath,
  /** the agent's home */
  home: identifiedPath,
  /** whether the home can be changed; opencode itself can't even start when it can't be */
  mayWrite: v.boolean(),
  /** bound read-only at its own path, for work that asks whether it exists */
  workspace: v.optional(identifiedPath),
  /** for backups of what opencode keeps: one to be made in an empty folder, or all of them to read */
  backups: v.optional(v.object({ ...identifiedPath.entries, mayWrite: v.boolean() })),
  insideEnvironment: record(v.string(), v.string()),
  /** where the run directory may be made, tried in order */
  runDirectoryParents: v.pipe(v.array(absolutePath), v.minLength(1)),
});

/** Where backups appear in the container. */
const backupsMountPoint = '/mnt/backups';

/** Where opencode keeps its sessions, seen from inside (XDG_DATA_HOME of the XDG Base Directory Specification). */
export const sessionFolder = '.local/share/opencode';

/**
 * Plans the start: the isolation of every sandbox of ours, no network, and of the host nothing but the home, read-only
 * unless it must be written, and our script. The home is where it is for the agent, so that what lies in it fits.
 * @param hostEnvironment the environment for Apptainer itself (see `hostEnvironment.ts`)
 */
export function planSessionSandbox(
  sandbox: SessionSandbox,
  run: RunDirectory,
  hostEnvironment: Readonly<Record<string, string>>,
): LaunchPlan {
  const { workspace, home, backups, insideEnvironment } = sandbox;
  const homeFolder = homeMountPoint(workspace?.path ?? '/');
  const binds: Bind[] = [
    ...(workspace ? [{ ...bound(workspace), destination: workspace.path, mode: 'readOnly' as const }] : []),
    { source: run.inside, destination: insideMountPoint, mode: 'readOnly' },
    { ...bound(home), destination: homeFolder, mode: modeOf(sandbox) },
    ...(backups ? [{ ...bound(backups), destination: backupsMountPoint, mode: modeOf(backups) }] : []),
  ];
  return {
    file: sandbox.apptainer,
    arguments: [
      ...isolationArguments({ network: 'none' }, run),
      ...binds.flatMap((bind) => ['--mount', mountArgument(bind)]),
      // `--home` breaks on a colon, so it names a folder of ours and the real home is one of the binds
      ...['--home', `${run.home}:${homeFolder}`, '--pwd', '/', sandbox.image.path],
      ...[...gateCommand(run), ...scriptCommand(run), `${homeFolder}/${sessionFolder}`],
      ...(backups ? [backupsMountPoint] : []),
    ],
    environment: launchEnvironment({ insideEnvironment: { ...insideEnvironment } }, hostEnvironment),
    expectation: {
      network: 'none',
      binds,
      image: sandbox.image.identity,
      shownNames: [],
      environmentNames: Object.keys(insideEnvironment),
    },
  };
}

function bound({ path, identity }: IdentifiedPath): Pick<Bind, 'source' | 'identity'> {
  return { source: path, identity };
}

function modeOf({ mayWrite }: { readonly mayWrite: boolean }): Bind['mode'] {
  return mayWrite ? 'readWrite' : 'readOnly';
}
