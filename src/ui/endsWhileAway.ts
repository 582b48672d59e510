import type { Memento } from 'vscode';
import { settingKeys, settingName } from '../contributions';
import { endsWhileAway, endWhileAwayText } from '../launch/endsWhileAway';
import type { Say } from './say';

const lookedKey = 'lookedForEndsAt';

/**
 * Tells once of the sandboxes of this window's folders that ended while no window was there.
 * @param memory of the workspace
 * @param recordDirectory of the runs
 * @param folders real paths
 */
export async function tellEndsWhileAway(
  memory: Pick<Memento, 'get' | 'update'>,
  recordDirectory: string,
  folders: ReadonlySet<string>,
  say: Say,
): Promise<void> {
  const since = memory.get<unknown>(lookedKey);
  await memory.update(lookedKey, Date.now());
  // the first time nobody has been away
  if (typeof since !== 'number') return;
  const setting = settingName(settingKeys.detachedTimeoutMinutes);
  for (const { workspace, time } of await endsWhileAway(recordDirectory, folders, since)) {
    void say.information(endWhileAwayText(workspace, time, setting), { kind: 'openSetting', setting });
  }
}
