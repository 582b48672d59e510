import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { settingsSection } from '../contributions';
import { Cancelled } from '../sandbox/userError';
import { firstObstacle, type WindowFacts } from './setup/obstacles';
import { plainText } from './plainText';

/** What of this window decides what may be done in it. */
export function windowFacts(): WindowFacts {
  return {
    platform: process.platform,
    userId: process.getuid?.() ?? -1,
    folderSchemes: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.scheme),
    isTrusted: vscode.workspace.isTrusted,
  };
}

/** What can be done in a window depends on its folders, on trust, and on the settings: calls back when one changes. */
export function followWindow({
  onFolders,
  onSettings,
}: {
  /** folders were added or removed, or they are trusted now */
  readonly onFolders: () => void;
  /** a setting of ours was changed */
  readonly onSettings: () => void;
}): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeWorkspaceFolders(onFolders),
    vscode.workspace.onDidGrantWorkspaceTrust(onFolders),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(settingsSection)) onSettings();
    }),
  );
}

/** The folders of this window that lie on a disk. */
export function diskFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

/** The real paths of the folders of this window. */
export async function realFolders(): Promise<ReadonlySet<string>> {
  return new Set(await Promise.all(diskFolders().map(({ uri }) => realPathOf(uri.fsPath))));
}

/** A path without symbolic links; the path itself when it leads nowhere. */
export async function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/**
 * The folder in which to start a sandbox; with several, the user chooses.
 * @throws UserError when no sandbox can be started in this window, Cancelled
 */
export async function chooseFolder(): Promise<vscode.WorkspaceFolder> {
  const obstacle = firstObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  const [only, ...others] = diskFolders();
  if (only && others.length === 0) {
    return only;
  }
  // VS Code's own list would offer folders that are on no disk
  const items = diskFolders().map((folder) => ({
    label: plainText(folder.name),
    description: plainText(folder.uri.fsPath),
    folder,
  }));
  const title = vscode.l10n.t('The folder in which to work');
  const picked = await vscode.window.showQuickPick(items, { title });
  if (!picked) {
    throw new Cancelled('no folder was chosen');
  }
  return picked.folder;
}
