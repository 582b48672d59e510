import { commandIds } from '../contributions';
import { moveStandingKeys } from '../launch/keyMoves';
import { message } from '../sandbox/message';
import type { Services } from './services';

/**
 * Puts the keys that stand in a folder's opencode.json into secret storage, and takes those out of the file; the
 * gateway adds them then. A key that can't be kept stays in the file, and this says so.
 * @param folder real path
 */
export async function moveKeys({ models: { secrets }, say }: Services, folder: string): Promise<void> {
  const { moved, left } = await moveStandingKeys(folder, secrets);
  if (left > 0) {
    void say.information(
      message(
        'Keys that are in secret storage now: {0}. Keys that stay in opencode.json: {1}, because another key is stored for the same server, or the model gateway can’t reach the provider. To replace a stored key, set the new one, then move the keys again.',
        moved,
        left,
      ),
      { kind: 'runCommand', command: commandIds.setApiKey },
    );
    return;
  }
  void say.information(
    message(
      'The key is in secret storage now, and not in opencode.json any more. If the file was ever shared or committed, revoke the key at its provider and set a new one.',
    ),
  );
}
