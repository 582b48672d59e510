import * as vscode from 'vscode';
import { settingsSection } from '../../contributions';
import type { PrepareRequest } from '../../launch/prepareRequest';
import type { ResumedSession, SandboxKind } from '../../sandbox/specification';
import type { GrantedModels } from '../models/modelGrants';
import type { PulledImage } from '../images/pulledImage';
import { readSettings } from '../settings';
import { diskFolders } from '../window';

/** One sandbox that somebody wants. */
export interface Wish {
  readonly kind: SandboxKind;
  readonly folder: vscode.WorkspaceFolder;
  /** of a task */
  readonly prompt?: string;
  /** of a run */
  readonly program?: readonly string[];
  /** of an agent */
  readonly resume?: ResumedSession;
}

/** What of a request does not depend on the folder. */
export type LauncherSurroundings = Pick<
  PrepareRequest,
  'environment' | 'storageDirectory' | 'serverFolders' | 'ptyModules' | 'platform' | 'uid'
>;

/** What the user lets sandboxes reach, and how this computer gets there. */
export interface LauncherNetwork {
  /** entries for the agents of a folder, by its real path @throws UserError for a setting that can't be used */
  allowedHosts(workspace: string): readonly string[];
  siteProxy(): PrepareRequest['siteProxy'];
}

export interface LaunchRequestsOptions {
  readonly surroundings: LauncherSurroundings;
  readonly pulledImage: Pick<PulledImage, 'orChosen'>;
  readonly models: Pick<GrantedModels, 'grants' | 'variables'>;
  readonly network: LauncherNetwork;
}

/** Half an hour: opencode without a terminal to ask on has been seen to wait for ever. */
const taskMilliseconds = 30 * 60_000;

/** Says in plain data what a wish comes to: with the settings of its folder, and what the user has granted. */
export class LaunchRequests {
  constructor(private readonly options: LaunchRequestsOptions) {}

  /** @param workspace real path of the wish's folder @throws UserError for a setting that can't be used */
  async build({ kind, folder, prompt, program }: Wish, workspace: string): Promise<PrepareRequest> {
    const { surroundings, pulledImage, models, network } = this.options;
    const settings = readSettings(vscode.workspace.getConfiguration(settingsSection, folder));
    const image = await pulledImage.orChosen(settings.image);
    const common = {
      ...surroundings,
      kind,
      workspace: folder.uri.fsPath,
      otherWorkspaces: diskFolders()
        .filter((other) => other !== folder)
        .map(({ uri }) => uri.fsPath),
    };
    // a program that is run gets nothing of what agents have: no network, no models, no memory, no variables
    if (kind === 'run') {
      const runImage = settings.analysisImage === '' ? image : settings.analysisImage;
      return {
        ...common,
        settings: { ...settings, image: runImage, network: 'none' },
        program,
      };
    }
    return {
      ...common,
      settings: { ...settings, image },
      grants: await models.grants(workspace),
      allowedHosts: network.allowedHosts(workspace),
      siteProxy: network.siteProxy(),
      agentVariables: await models.variables(settings.environment),
      ...(prompt === undefined ? {} : { prompt, deadlineMilliseconds: taskMilliseconds }),
    };
  }
}
