import * as vscode from 'vscode';
import { Cancelled } from '../sandbox/userError';
import { plainText } from '../ui/plainText';
import { selectedSession, withSessionProgress } from '../ui/sessions/selectedSession';
import type { Services } from './services';

/** opencode shows titles in one line. */
const longestTitle = 200;

/** Gives a session another title. */
export async function renameSession(services: Services, row: unknown): Promise<void> {
  const { folder, session } = await selectedSession(services, row);
  const title = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Session'),
    prompt: vscode.l10n.t('The new title of the session.'),
    value: plainText(session.title).slice(0, longestTitle),
    validateInput: (text) =>
      text.trim() === '' || text.length > longestTitle
        ? vscode.l10n.t('A title has 1 to {0} characters.', longestTitle)
        : undefined,
  });
  if (title === undefined) {
    throw new Cancelled('no title was given');
  }
  await withSessionProgress(() =>
    services.sessions.edit(folder, [{ rename: { session: session.id, title: title.trim() } }]),
  );
}
