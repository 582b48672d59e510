import { join } from 'node:path';
import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { Cancelled } from '../sandbox/userError';
import { selectedSession, withSessionProgress, type SessionParts } from '../ui/sessions/selectedSession';
import { readWholeTranscript } from '../ui/sessions/transcripts';
import { transcriptText } from '../ui/sessions/transcriptText';
import { translate } from '../ui/translate';
import type { SessionFolder } from '../ui/sessions/windowSessions';
import type { Session } from '../opencode/sessions/sessionStore';
import type { Services } from './services';

interface Format extends vscode.QuickPickItem {
  readonly extension: string;
  readonly read: (parts: SessionParts, folder: SessionFolder, session: Session) => Promise<string>;
}

/** Writes a session into a file. */
export async function exportSession(services: Services, row: unknown): Promise<void> {
  const { folder, session } = await selectedSession(services, row);
  const format = await vscode.window.showQuickPick(formats(), {
    title: vscode.l10n.t('Export Session'),
    placeHolder: vscode.l10n.t('What to write'),
  });
  const target =
    format &&
    (await vscode.window.showSaveDialog({
      title: vscode.l10n.t('Export Session'),
      // the title comes from inside and names no file
      defaultUri: vscode.Uri.file(join(folder.path, `${session.id}.${format.extension}`)),
    }));
  if (!target) {
    throw new Cancelled('no place for the export was chosen');
  }
  const text = await withSessionProgress(() => format.read(services, folder, session));
  await vscode.workspace.fs.writeFile(target, Buffer.from(text, 'utf8'));
  void services.say.information(message('The session was exported to {0}.', target.fsPath));
}

function formats(): Format[] {
  const json =
    (isSanitized: boolean): Format['read'] =>
    async ({ sessions }, folder, { id }) =>
      (await sessions.edit(folder, [{ exportSession: { session: id, isSanitized } }])).join('');
  return [
    {
      label: vscode.l10n.t('Markdown'),
      description: vscode.l10n.t('to be read by people'),
      extension: 'md',
      read: async (_parts, folder, session) =>
        transcriptText(session, await readWholeTranscript(folder.home, session.id), {
          render: translate,
          timeName: (time) => new Date(time).toISOString(),
          hasEarlier: false,
        }),
    },
    {
      label: vscode.l10n.t('JSON'),
      description: vscode.l10n.t('as opencode writes it, to be imported elsewhere'),
      extension: 'json',
      read: json(false),
    },
    {
      label: vscode.l10n.t('JSON without content'),
      description: vscode.l10n.t('texts, names and outputs are left out by opencode'),
      extension: 'json',
      read: json(true),
    },
  ];
}
