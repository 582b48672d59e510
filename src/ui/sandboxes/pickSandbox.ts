import * as vscode from 'vscode';
import type { KnownSandbox } from '../../launch/sandboxRegistry';
import { kindTitle } from '../../sandbox/explain';
import { Cancelled } from '../../sandbox/userError';
import { plainText } from '../plainText';
import { translate } from '../translate';

/**
 * One of these sandboxes; with several, the user chooses.
 * @throws Cancelled
 */
export async function pickSandbox(
  sandboxes: readonly KnownSandbox[],
  placeHolder: string,
): Promise<KnownSandbox> {
  if (sandboxes.length === 1 && sandboxes[0]) {
    return sandboxes[0];
  }
  const items = sandboxes.map((sandbox) => ({
    label: translate(kindTitle(sandbox.summary.kind)),
    description: plainText(sandbox.summary.workspace),
    detail: vscode.l10n.t('Started {0}', new Date(sandbox.summary.startedAt).toLocaleString()),
    sandbox,
  }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder });
  if (!picked) {
    throw new Cancelled('no sandbox was chosen');
  }
  return picked.sandbox;
}
