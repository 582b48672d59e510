import * as vscode from 'vscode';
import { neededEntries } from '../ui/network/allowedHostsList';
import { canBeAllowed, isAllowedNow } from '../ui/network/networkLogGroups';
import { chooseDeniedHost, confirmInside } from '../ui/network/networkLogPick';
import type { Services } from './services';

/** Allows a host for a folder that a sandbox there was denied: that of a row of the log, or one that the user picks. */
export async function allowHost({ network, say }: Services, row: unknown): Promise<void> {
  const denied = await chooseDeniedHost(
    row,
    network,
    (host, decisions) => canBeAllowed(host) && !isAllowedNow(host, decisions),
    vscode.l10n.t('The host to allow for its folder'),
  );
  const needed = neededEntries(denied);
  await confirmInside(needed, say);
  await network.allowedHosts.allow(denied.workspace, needed.entries, denied.host);
  network.view.update();
}
