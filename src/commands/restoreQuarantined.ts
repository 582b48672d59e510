import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { plainText } from '../ui/plainText';
import type { Services } from './services';

/** Puts something back that was taken out of a folder of this window. */
export async function restoreQuarantined({ guard, say }: Services): Promise<void> {
  const kept = await Promise.all(
    guard
      .known()
      .map(async (owner) => (await owner.quarantined()).map((quarantined) => ({ owner, quarantined }))),
  );
  const items = kept.flat().map(({ owner, quarantined }) => ({
    label: plainText(quarantined.path),
    description: new Date(quarantined.takenAt).toLocaleString(),
    detail: plainText(quarantined.workspace),
    owner,
    quarantined,
  }));
  if (items.length === 0) {
    await say.information(message('Nothing was taken out of this window’s folders.'));
    return;
  }
  const placeHolder = vscode.l10n.t('What to put back into its folder');
  const picked = await vscode.window.showQuickPick(items, { placeHolder });
  await picked?.owner.putBack(picked.quarantined);
}
