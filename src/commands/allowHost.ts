import * as vscode from 'vscode';
import { canBeAllowed, isAllowedNow } from '../ui/network/networkLogGroups';
import { allowForFolder, chooseDeniedHost } from '../ui/network/networkLogPick';
import type { Services } from './services';

/** Allows a host for a folder that a sandbox there was denied: that of a row of the log, or one that the user picks. */
export async function allowHost({ network, say }: Services, row: unknown): Promise<void> {
  const denied = await chooseDeniedHost(
    row,
    network,
    (host, decisions) => canBeAllowed(host) && !isAllowedNow(host, decisions),
    vscode.l10n.t('The host to allow for its folder'),
  );
  await allowForFolder(denied, network.allowedHosts, say);
  network.view.update();
}
