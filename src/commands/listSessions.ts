import * as vscode from 'vscode';
import { Cancelled } from '../sandbox/userError';
import { withSessionProgress } from '../ui/sessions/selectedSession';
import type { SessionOrder } from '../ui/sessions/sessionTree';
import type { Services } from './services';

/** Reads the sessions anew. */
export async function refreshSessions({ sessions }: Services): Promise<void> {
  await withSessionProgress(() => sessions.refresh());
}

/** Lists only sessions whose title has a text in it. */
export async function filterSessions({ sessionsView }: Services): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter Sessions'),
    prompt: vscode.l10n.t('Only sessions with this text in their title are listed. Nothing: all of them.'),
    value: sessionsView.filter,
  });
  if (text === undefined) {
    throw new Cancelled('no text was given');
  }
  sessionsView.filter = text;
}

/** Lists sessions in another order. */
export async function sortSessions({ sessionsView }: Services): Promise<void> {
  const items: (vscode.QuickPickItem & { readonly order: SessionOrder })[] = [
    { label: vscode.l10n.t('By the day they were last used'), order: 'updated' },
    { label: vscode.l10n.t('By the day they were begun'), order: 'created' },
    { label: vscode.l10n.t('By cost'), order: 'cost' },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Sort Sessions') });
  if (!picked) {
    throw new Cancelled('no order was chosen');
  }
  sessionsView.order = picked.order;
}
