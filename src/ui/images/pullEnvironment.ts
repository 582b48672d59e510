import * as vscode from 'vscode';
import { refusedPullFolders } from '../../apptainer/choosePullFolders';
import { withPullFolders } from '../../apptainer/pullFolders';
import { settingsSection } from '../../contributions';
import type { Environment } from '../../sandbox/hostEnvironment';
import { withSiteProxy } from '../network/siteProxySetting';
import { readSettings } from '../settings';
import type { Images } from './images';

/**
 * The environment in which images are pulled and built: the user's, with the folders and the proxy of the settings.
 * @throws UserError when one of those can't be used
 */
export async function pullEnvironmentOf(
  images: Pick<Images, 'agentFolders'>,
  environment: Environment,
): Promise<Environment> {
  const { pullFolders } = readSettings(vscode.workspace.getConfiguration(settingsSection));
  const [refused] = await refusedPullFolders(pullFolders, await images.agentFolders());
  if (refused) throw refused.error;
  return withSiteProxy(withPullFolders(environment, pullFolders));
}
