import { join } from 'node:path';
import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { Cancelled } from '../sandbox/userError';
import type { Services } from './services';

/** Saves the last proof as JSON, with the image's digest, the command line and the versions. */
export async function exportProof({ proof, say }: Services): Promise<void> {
  const text = proof.report.json();
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export the Proof'),
    defaultUri: vscode.Uri.file(join(process.env['HOME'] ?? '/', 'sandbox-proof.json')),
    filters: { [vscode.l10n.t('JSON')]: ['json'] },
  });
  if (!target) throw new Cancelled('no place for the proof was chosen');
  await vscode.workspace.fs.writeFile(target, Buffer.from(text));
  void say.information(message('The proof was saved.'));
}
