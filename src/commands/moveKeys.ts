import * as vscode from 'vscode';
import { commandIds } from '../contributions';
import { keysInFiles, type MovableKey, movableKeys, moveStandingKeys } from '../launch/keyMoves';
import { readProjectConfiguration } from '../opencode/projectConfiguration';
import { message } from '../sandbox/message';
import { Cancelled } from '../sandbox/userError';
import { given } from '../ui/models/modelInput';
import { addressLabel } from '../ui/models/addressLabel';
import { plainText } from '../ui/plainText';
import type { Services } from './services';

/**
 * Puts keys that stand in a folder's opencode.json into secret storage, and takes those out of the file; the gateway
 * adds them then. Somebody chooses which: a stored key is used for all folders, and the agent can write the file. A
 * key that can't be kept stays in the file, and this says so.
 * @param folder real path
 * @throws Cancelled, UserError
 */
export async function moveKeys({ models, say }: Services, folder: string): Promise<void> {
  const found = keysInFiles(await readProjectConfiguration(folder));
  const movable = movableKeys(found, models.approvals.of(folder));
  if (movable.length === 0) {
    void say.information(
      message(
        'No key can be moved: only keys for servers that you approved for this folder are. Choose the server first.',
      ),
      { kind: 'runCommand', command: commandIds.configureModel },
    );
    return;
  }
  const { moved, left } = await moveStandingKeys(folder, models.secrets, await askKeys(movable));
  if (left > 0) {
    void say.information(
      message(
        'Keys that are in secret storage now: {0}. Keys that stay in opencode.json: {1}, because you did not choose them or have not approved their server, another key is stored for it, or the model gateway can’t reach it. To replace a stored key, set the new one, then move the keys again.',
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
    { kind: 'runCommand', command: commandIds.setApiKey },
  );
}

/** @throws Cancelled when none is chosen */
async function askKeys(keys: readonly MovableKey[]): Promise<MovableKey[]> {
  const items = keys.map((fileKey) => ({
    label: addressLabel(fileKey.baseUrl),
    detail: `${plainText(fileKey.providerId)}: ${plainText(fileKey.baseUrl)}`,
    fileKey,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t('Move to Secret Storage'),
    placeHolder: vscode.l10n.t(
      'Servers whose key in opencode.json is yours; it is used for all folders then',
    ),
    ignoreFocusOut: true,
  });
  const chosen = given(picked).map(({ fileKey }) => fileKey);
  if (chosen.length === 0) throw new Cancelled('no key was chosen');
  return chosen;
}
