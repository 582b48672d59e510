import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { isSameOrInside } from '../sandbox/paths';
import { UserError } from '../sandbox/userError';
import { selectedNode } from '../ui/sessions/selectedSession';
import type { Services } from './services';

/** Opens a file that a session has changed: its changes against git where there are any, else the file. */
export async function openSessionFile(services: Services, row: unknown): Promise<void> {
  const { in: folder, file } = await selectedNode(services, row, 'file');
  // the name comes from inside, and could be that of any file of this computer, or of a link to one
  const path = await realpath(resolve(folder.path, file.file)).catch(() => undefined);
  const isFile = path !== undefined && (await stat(path)).isFile();
  if (path === undefined || !isFile || !isSameOrInside(folder.path, path)) {
    throw new UserError(
      'sessions.noFile',
      message('This file is not in the agent’s folder any more, or is no ordinary file.'),
    );
  }
  const uri = vscode.Uri.file(path);
  await vscode.commands.executeCommand((await hasChanges(uri)) ? 'git.openChange' : 'vscode.open', uri);
}

/** What is needed of the API of VS Code's own extension for git (its git.d.ts, version 1). */
interface GitExtension {
  getAPI(version: 1): {
    getRepository(
      uri: vscode.Uri,
    ): { readonly state: { readonly workingTreeChanges: readonly { uri: vscode.Uri }[] } } | null;
  };
}

/** Whether git knows of changes since the last commit. It may be switched off. */
async function hasChanges(uri: vscode.Uri): Promise<boolean> {
  try {
    const git = await vscode.extensions.getExtension<GitExtension>('vscode.git')?.activate();
    const changes = git?.getAPI(1).getRepository(uri)?.state.workingTreeChanges ?? [];
    return changes.some((change) => change.uri.fsPath === uri.fsPath);
  } catch {
    return false;
  }
}
