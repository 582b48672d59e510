import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { given } from '../ui/models/modelInput';
import { plainText } from '../ui/plainText';
import type { Services } from './services';

/** Forgets the key for one server of models. A sandbox that runs keeps it until it ends. */
export async function removeApiKey({ models: { secrets }, say }: Services): Promise<void> {
  const addresses = await secrets.modelAddresses();
  if (addresses.length === 0) {
    void say.information(message('There are no keys in secret storage.'));
    return;
  }
  const picked = await vscode.window.showQuickPick(
    addresses.map((address) => ({ label: plainText(address), address })),
    {
      title: vscode.l10n.t('Remove API Key'),
      placeHolder: vscode.l10n.t('The server whose key is forgotten'),
    },
  );
  await secrets.removeModelKey(given(picked).address);
  void say.information(
    message('The key is removed. Sandboxes that run keep using it until they end; it is not revoked.'),
  );
}
