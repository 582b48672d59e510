import type { SandboxSpecification } from '../sandbox/specification';
import { identified } from '../host/fileIdentity';
import type { Message } from '../sandbox/message';
import type { SessionSandbox } from '../sandbox/sessionPlan';
import { HomeKeeper, keeperScript } from './homeKeeper';
import { editorEnvironment } from './sessionSandbox';
import type { KeptHome } from './homeUsers';
import type { ScriptProcess } from './scriptProcess';

export interface HomeOpeningOptions {
  readonly startScript: (
    sandbox: SessionSandbox,
    script: string,
    onLine: (line: string) => void,
  ) => Promise<ScriptProcess>;
  /** is told what is done, for the person who waits */
  readonly tell: (text: Message) => void;
  readonly onLog: (line: string) => void;
  readonly signal: AbortSignal;
  /** somebody knows that this opencode does not read the sessions of 1.1 and older */
  readonly acceptsOlder?: true;
}

/** The folder for backups that a keeper gets. */
export interface KeeperBackups {
  readonly path: string;
  /** only ever an empty one: what a hostile database makes of the keeper must not cost the backups that there are */
  readonly mayWrite: boolean;
}

/** Does work with a keeper in a sandbox, which sees the home, and of the backups what is said. @throws as `HomeKeeper` */
export async function withKeeper<Result>(
  { apptainer, image, home, runDirectoryParents }: KeptHome,
  { startScript, onLog, signal }: HomeOpeningOptions,
  backups: KeeperBackups | undefined,
  work: (keeper: HomeKeeper) => Promise<Result>,
): Promise<Result> {
  const sandbox: SessionSandbox = {
    ...{ apptainer, image, runDirectoryParents, home: home.folder, mayWrite: true },
    ...(backups ? { backups: { ...(await identified(backups.path)), mayWrite: backups.mayWrite } } : {}),
    insideEnvironment: { ...editorEnvironment },
  };
  return HomeKeeper.use((onLine) => startScript(sandbox, keeperScript, onLine), { onLog, signal }, work);
}

/** Whether a sandbox's home is a folder of which something is kept. */
export function isKept(specification: SandboxSpecification): specification is KeptHome {
  return specification.home.kind === 'folder' && specification.homeFolder !== undefined;
}

/** A name for the folder into which the keeper moves what is in the way. */
export function nameAside(): string {
  return new Date().toISOString().replaceAll(/[^\dT]/g, '');
}
