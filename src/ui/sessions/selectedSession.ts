import * as vscode from 'vscode';
import { viewIds } from '../../contributions';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import type { Session } from '../../opencode/sessions/sessionStore';
import { SessionNode } from './sessionNodes';
import type { NodeData } from './sessionTree';
import type { SessionsView } from './sessionsView';
import type { SessionFolder, WindowSessions } from './windowSessions';

/** What commands on sessions work with. */
export interface SessionParts {
  readonly sessions: WindowSessions;
  readonly sessionsView: SessionsView;
}

/** A node of one kind. */
export type NodeOf<Kind extends NodeData['kind']> = Extract<NodeData, { readonly kind: Kind }>;

/**
 * What a command is about: the row on which it was invoked, else the selected one.
 * @throws UserError when that is nothing of this kind; the view is shown then
 */
export async function selectedNode<Kind extends NodeData['kind']>(
  { sessions, sessionsView }: SessionParts,
  row: unknown,
  kind: Kind,
): Promise<NodeOf<Kind> & { readonly in: SessionFolder }> {
  const node = row instanceof SessionNode ? row : sessionsView.selected;
  const folder = node && sessions.folderAt(node.data.folder);
  if (folder && node.data.kind === kind) {
    return { ...(node.data as NodeOf<Kind>), in: folder };
  }
  await vscode.commands.executeCommand(`${viewIds.sessions}.focus`);
  throw new UserError('sessions.noneSelected', message('Select a session in the view Sessions first.'));
}

/** The session that a command is about, with its folder. @throws UserError */
export async function selectedSession(
  parts: SessionParts,
  row: unknown,
): Promise<{ readonly folder: SessionFolder; readonly session: Session }> {
  const { in: folder, session } = await selectedNode(parts, row, 'session');
  return { folder, session };
}

/** Shows in the view that something is being done, which takes some seconds. */
export async function withSessionProgress<Result>(work: () => Promise<Result>): Promise<Result> {
  return vscode.window.withProgress({ location: { viewId: viewIds.sessions } }, work);
}
