import { join } from 'node:path';
import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { Cancelled } from '../sandbox/userError';
import { networkLogCsv, networkLogJson } from '../ui/network/networkLogExport';
import { filteredLogs } from '../ui/network/networkLogGroups';
import type { Services } from './services';

/** Saves what the log shows with its filter, every attempt on its own, as a table or as JSON. */
export async function exportNetworkLog({ network, say }: Services): Promise<void> {
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export the Network Log'),
    defaultUri: vscode.Uri.file(join(process.env['HOME'] ?? '/', 'network-log.csv')),
    filters: { [vscode.l10n.t('Table (CSV)')]: ['csv'], [vscode.l10n.t('JSON')]: ['json'] },
  });
  if (!target) {
    throw new Cancelled('no place for the log was chosen');
  }
  await network.logs.complete();
  const logs = filteredLogs(network.logs.list(), network.view.filter);
  const text = target.path.toLowerCase().endsWith('.json') ? networkLogJson(logs) : networkLogCsv(logs);
  await vscode.workspace.fs.writeFile(target, Buffer.from(text));
  void say.information(message('The Network Log was saved.'));
}
