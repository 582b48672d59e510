import { readRunRecords } from '../host/runRecords';
import { message, type Message } from '../sandbox/message';

/**
 * The sandboxes of some folders that ended since then because no window had been attached to them for too long: nobody
 * was there to be told.
 * @param recordDirectory of the runs
 * @param folders real paths
 * @param since milliseconds since the epoch
 * @returns what to tell about each, the latest first
 */
export async function endsWhileAway(
  recordDirectory: string,
  folders: ReadonlySet<string>,
  since: number,
): Promise<readonly { readonly workspace: string; readonly time: number }[]> {
  const records = await readRunRecords(recordDirectory, since);
  return records.flatMap(({ workspace, end }) =>
    end?.reason === 'detachedTooLong' && end.time >= since && folders.has(workspace)
      ? [{ workspace, time: end.time }]
      : [],
  );
}

/** @param setting full name of the one that says how long is too long */
export function endWhileAwayText(workspace: string, time: number, setting: string): Message {
  return message(
    'The sandbox for {0} was ended at {1}, because no window had been attached to it for too long (setting {2}). The agent’s sessions are kept.',
    workspace,
    new Date(time).toLocaleString(),
    setting,
  );
}
