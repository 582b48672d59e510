import { isSameOrInside } from './paths';
import type { FileIdentity } from './specification';

/**
 * The folder that one supervisor makes for one sandbox, 0700, and removes at the end. `control/` is never bound;
 * `inside/` is bound read-only. Pure: names only.
 */
export interface RunDirectory {
  readonly path: string;
  readonly control: string;
  readonly supervisorSocket: string;
  readonly seccompProfile: string;
  readonly inside: string;
  readonly gate: string;
  readonly companionSocket: string;
  /** of the gateway: the proxy for allowed hosts, and the models */
  readonly egressSocket: string;
  readonly modelSocket: string;
  readonly companion: string;
  /** of kind `probes` only: the script that tries to get out */
  readonly probes: string;
  readonly opencodeConfiguration: string;
  /** a catalogue of models with nothing in it */
  readonly emptyCatalogue: string;
  readonly empty: string;
  /** what `--home` names, so that Apptainer sets $HOME; the real home is mounted over it */
  readonly home: string;
  /** what becomes the sandbox's folders for temporary files; empty: they are in the container's memory */
  readonly temporaryFolders: readonly TemporaryFolder[];
}

/** A folder for temporary files: on a disk of the host, and where the sandbox sees it. */
export interface TemporaryFolder {
  readonly source: string;
  readonly destination: string;
  /** absent until it was made */
  readonly identity?: FileIdentity;
}

/** The folders of a sandbox for temporary files, in a folder of their own. Pure: names only. */
export function temporaryFoldersAt(path: string): TemporaryFolder[] {
  return [
    { source: `${path}/tmp`, destination: '/tmp' },
    { source: `${path}/var-tmp`, destination: '/var/tmp' },
  ];
}

/** Where `inside/` appears in the container. */
export const insideMountPoint = '/run/sandboxed-agent';

/**
 * Where the home appears in the container, whatever it is on the host: not above the workspace, which would then
 * lie in the home.
 */
export function homeMountPoint(workspace: string): string {
  const usual = '/home/agent';
  return isSameOrInside(usual, workspace) ? '/home/sandboxed-agent' : usual;
}

/** Where opencode reads its managed configuration, which beats all others (measured with 1.18.33). */
export const opencodeConfigurationMountPoint = '/etc/opencode';

/** All run directories are called so; the sweep removes nothing else. */
export const runDirectoryPrefix = 'sandboxed-agent-';

/** Whether a run directory, or a folder for temporary files, can be called so: the prefix, then 32 bits. */
export function isRunDirectoryName(name: string): boolean {
  return name.startsWith(runDirectoryPrefix) && /^[0-9a-f]{8}$/.test(name.slice(runDirectoryPrefix.length));
}

/** The layout of a run directory. `path` must be short: a unix socket's path has 108 bytes at most (unix(7)). */
export function runDirectoryAt(path: string): RunDirectory {
  const control = `${path}/control`;
  const inside = `${path}/inside`;
  return {
    path,
    control,
    supervisorSocket: `${control}/supervisor.sock`,
    seccompProfile: `${control}/seccomp.json`,
    inside,
    gate: `${inside}/gate`,
    companionSocket: `${inside}/companion.sock`,
    egressSocket: `${inside}/egress.sock`,
    modelSocket: `${inside}/models.sock`,
    companion: `${inside}/companion.mjs`,
    probes: `${inside}/probes.mjs`,
    opencodeConfiguration: `${inside}/opencode`,
    emptyCatalogue: `${inside}/models.json`,
    empty: `${inside}/empty`,
    home: `${path}/home`,
    temporaryFolders: [],
  };
}

/** The same file as the sandbox sees it; `path` must lie in `inside/`. */
export function seenFromInside(path: string, run: RunDirectory): string {
  return insideMountPoint + path.slice(run.inside.length);
}
