import type { PermissionMode } from '../opencode/permissions';
import type { SiteProxy } from '../sandbox/networkAccess';
import type { GitMode } from '../sandbox/protectedPaths';
import type { NetworkMode, SandboxKind } from '../sandbox/specification';
import type { ModelGrants } from './modelAccess';
import type { OwnFolders } from './surroundings';
import type { UndoSettings } from './undoFolder';

/** What the settings say, after `sandbox/settings.ts` has made the strictest of them. */
export interface SandboxSettings {
  /** empty: look for it */
  readonly apptainerPath: string;
  /** path of a SIF file, or empty */
  readonly image: string;
  /** `workspace`, `none`, or an absolute path; a `run` has none, and can't write to that of the agents */
  readonly agentHome: string;
  readonly network: NetworkMode;
  readonly detachedTimeoutMilliseconds: number;
  /** what a sandbox's /tmp and /var/tmp may take */
  readonly temporaryFilesLimitBytes: number;
  /** whether programs inside may write the user's clipboard; default no */
  readonly mayWriteClipboard?: boolean;
  /** when the agent has to ask; default: when it wants to */
  readonly permission?: PermissionMode;
  /** whether the agent can write to repositories; default: it can't */
  readonly git?: GitMode;
  /** what of the workspace it can only read, as the setting has it; default: the default of the setting */
  readonly protectedPaths?: readonly string[];
  /** default: nothing can be undone */
  readonly undo?: UndoSettings;
  /** whether a copy of the image's opencode is used where there is one; default: no */
  readonly opencodeCopy?: boolean;
}

/** One wish for a sandbox, as plain data. */
export interface PrepareRequest extends OwnFolders {
  readonly kind: SandboxKind;
  /** the path as the user opened it */
  readonly workspace: string;
  /** the other folders of the window, in which agents can work, too */
  readonly otherWorkspaces?: readonly string[] | undefined;
  readonly settings: SandboxSettings;
  /** to which models prompts may go, and their keys; default: to none */
  readonly grants?: ModelGrants | undefined;
  /** entries as `gateway/hostEntry.ts` writes them; default: none */
  readonly allowedHosts?: readonly string[] | undefined;
  /** the HTTP proxy through which this computer reaches the internet, with its credentials */
  readonly siteProxy?: (SiteProxy & { readonly authorization?: string }) | undefined;
  /** variables that the user gives to the agent, which can read them */
  readonly agentVariables?: Readonly<Record<string, string>> | undefined;
  readonly prompt?: string | undefined;
  /** of a `run` */
  readonly program?: readonly string[] | undefined;
  readonly deadlineMilliseconds?: number | undefined;
  readonly ptyModules: readonly string[];
  /** `process.platform` */
  readonly platform: string;
  /** `process.getuid()` */
  readonly uid: number;
  readonly signal?: AbortSignal | undefined;
}
