import * as vscode from 'vscode';
import type { EditorSettings } from './editorRest';
import { diskFolders, realPathOf } from '../window';

/** The settings of VS Code that are at rest while findings wait. */
export const editorSettings: EditorSettings = {
  folders: () => diskFolders().map(({ uri }) => uri.toString()),
  realPath: (folder) => realPathOf(vscode.Uri.parse(folder).fsPath),
  git: (folder) => gitSettings(folder).inspect('enabled')?.workspaceFolderValue,
  setGit: async (folder, value) =>
    gitSettings(folder).update('enabled', value, vscode.ConfigurationTarget.WorkspaceFolder),
  tasks: () => vscode.workspace.getConfiguration('task').inspect('allowAutomaticTasks')?.globalValue,
  setTasks: async (value) =>
    vscode.workspace
      .getConfiguration('task')
      .update('allowAutomaticTasks', value, vscode.ConfigurationTarget.Global),
};

function gitSettings(folder: string): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('git', vscode.Uri.parse(folder));
}
