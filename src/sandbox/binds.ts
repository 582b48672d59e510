import { coveredHomes, writtenFolders } from './agentHomes';
import {
  homeMountPoint,
  insideMountPoint,
  opencodeConfigurationMountPoint,
  type RunDirectory,
} from './runDirectory';
import type { FileIdentity, SandboxSpecification } from './specification';

/** One bind mount of the sandbox. */
export interface Bind {
  readonly source: string;
  readonly destination: string;
  readonly mode: 'readOnly' | 'readWrite';
  /** what the source was when it was checked; absent for what the supervisor made itself */
  readonly identity?: FileIdentity;
  /** its content counts, too, not only which it is */
  readonly isFile?: true;
  /** for what is bound over itself so that it can't be changed: what to call it without any name of the workspace */
  readonly protects?: string;
}

/** All binds of a sandbox, in the order in which Apptainer must make them: a folder before what lies over it. */
export function sandboxBinds(specification: SandboxSpecification, run: RunDirectory): Bind[] {
  const { workspace, home, protectedPaths = [], opencodeCopy } = specification;
  const binds: Bind[] = [
    ...(opencodeCopy === undefined ? [] : [copyBind(opencodeCopy)]),
    // first: a workspace can lie below /tmp
    ...run.temporaryFolders.map((folder) => ({ ...folder, mode: 'readWrite' as const })),
    {
      source: workspace.path,
      destination: workspace.path,
      mode: 'readWrite',
      identity: workspace.identity,
    },
    ...protectedPaths.map(({ path, identity, rule }) => ({
      ...{ source: path, destination: path, mode: 'readOnly' as const },
      ...{ identity, protects: rule },
    })),
    { source: run.inside, destination: insideMountPoint, mode: 'readOnly' },
    {
      source: run.opencodeConfiguration,
      destination: opencodeConfigurationMountPoint,
      mode: 'readOnly',
    },
  ];
  // opencode would snapshot its own database there, and an undo then corrupts it (measured)
  for (const { path } of coveredHomes(writtenFolders(specification))) {
    binds.push({ source: run.empty, destination: path, mode: 'readOnly' });
  }
  if (home.kind === 'folder') {
    const { path, identity } = home.folder;
    binds.push({ source: path, destination: homeMountPoint(workspace.path), mode: 'readWrite', identity });
  }
  return binds;
}

function copyBind({ path, destination, identity }: NonNullable<SandboxSpecification['opencodeCopy']>): Bind {
  return { source: path, destination, mode: 'readOnly', identity, isFile: true };
}

/**
 * The value of one `--mount` argument. The format is a line of CSV (RFC 4180) whose fields are `key=value`; a field
 * with a comma, quote or line break is quoted. `--bind` can't carry such names: a comma there injects binds.
 */
export function mountArgument({ source, destination, mode }: Omit<Bind, 'identity'>): string {
  const fields = ['type=bind', `source=${source}`, `destination=${destination}`];
  return [...fields.map(csvField), ...(mode === 'readOnly' ? ['ro'] : [])].join(',');
}

function csvField(field: string): string {
  return /[,"\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
