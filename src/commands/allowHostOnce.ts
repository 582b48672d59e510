import * as vscode from 'vscode';
import { neededEntries } from '../ui/network/allowedHostsList';
import { canBeAllowed, isAllowedNow } from '../ui/network/networkLogGroups';
import { chooseDeniedHost, confirmInside } from '../ui/network/networkLogPick';
import type { Services } from './services';

/** Allows a host for the running sandbox that was denied it: that of a row of the log, or one that the user picks. */
export async function allowHostOnce({ network, say }: Services, row: unknown): Promise<void> {
  const denied = await chooseDeniedHost(
    row,
    network,
    (host, decisions) => host.isRunning && canBeAllowed(host) && !isAllowedNow(host, decisions),
    vscode.l10n.t('The host to allow until the sandbox ends'),
  );
  const needed = neededEntries(denied);
  await confirmInside(needed, say);
  await network.allowedHosts.allowOnce(denied.sandboxId, needed.entries);
  network.view.update();
}
