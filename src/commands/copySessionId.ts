import * as vscode from 'vscode';
import { selectedSession } from '../ui/sessions/selectedSession';
import type { Services } from './services';

/** Puts the id of a session on the clipboard. */
export async function copySessionId(services: Services, row: unknown): Promise<void> {
  const { session } = await selectedSession(services, row);
  await vscode.env.clipboard.writeText(session.id);
}
