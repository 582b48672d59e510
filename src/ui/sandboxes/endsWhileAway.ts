import type { ExtensionContext } from 'vscode';
import { settingKeys, settingName } from '../../contributions';
import { endsWhileAway, endWhileAwayText } from '../../launch/endsWhileAway';
import { recordsFolder } from '../../launch/storageFolders';
import type { Say } from '../say';
import { realFolders } from '../window';

const lookedKey = 'lookedForEndsAt';

/** Tells once of the sandboxes of this window's folders that ended while no window was there. */
export async function tellEndsWhileAway(
  { workspaceState, globalStorageUri }: Pick<ExtensionContext, 'workspaceState' | 'globalStorageUri'>,
  say: Say,
): Promise<void> {
  const since = workspaceState.get<unknown>(lookedKey);
  await workspaceState.update(lookedKey, Date.now());
  // the first time nobody has been away
  if (typeof since !== 'number') return;
  const setting = settingName(settingKeys.detachedTimeoutMinutes);
  const records = recordsFolder(globalStorageUri.fsPath);
  for (const { workspace, time } of await endsWhileAway(records, await realFolders(), since)) {
    void say.information(endWhileAwayText(workspace, time, setting), { kind: 'openSetting', setting });
  }
}
