import * as vscode from 'vscode';
import { chooseDeniedHost } from '../ui/network/networkLogPick';
import type { Services } from './services';

/** Decides that a host stays denied for a folder, so that nothing more is told of it. */
export async function keepDenied({ network }: Services, row: unknown): Promise<void> {
  const { workspace, host } = await chooseDeniedHost(
    row,
    network,
    (denied, { keptDenied }) => !keptDenied.has(denied.host),
    vscode.l10n.t('The host of which nothing more shall be told'),
  );
  await network.allowedHosts.keepDenied(workspace, host);
  network.view.update();
}
