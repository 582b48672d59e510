import { rmdir, unlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import { contentAt, withEntry } from '../guard/lookAtOne';
import { entryPath } from '../host/safeFiles';
import { diskFolders, realPathOf } from './window';

/** What the settings were before they were changed, by which they are put back. */
interface Saved {
  /** by the URI of a folder: its own value of `git.enabled`, and whether it had a file of settings */
  readonly git: Readonly<Record<string, { readonly value?: unknown; readonly hadSettings: boolean }>>;
  /** the user's value of `task.allowAutomaticTasks`, which a folder can't set */
  readonly tasks?: unknown;
}

const memoryKey = 'editorAtRest';
const settingsPath = '.vscode/settings.json';

/**
 * Puts VS Code's own git and automatic tasks at rest in the folders of this window, and back. Git must be switched off
 * in the folder's own settings: those beat the user's, and the agent may have written them.
 */
export class EditorRest {
  /** @param memory of this window's folders, `workspaceState` */
  constructor(private readonly memory: vscode.Memento) {}

  get isResting(): boolean {
    return this.memory.get<Saved>(memoryKey) !== undefined;
  }

  async rest(): Promise<void> {
    if (this.isResting) return;
    const folders = diskFolders();
    const git: Record<string, { value?: unknown; hadSettings: boolean }> = {};
    for (const { uri } of folders) {
      const value = vscode.workspace.getConfiguration('git', uri).inspect('enabled')?.workspaceFolderValue;
      const hadSettings = (await contentAt(await realPathOf(uri.fsPath), settingsPath)) !== undefined;
      git[uri.toString()] = { ...(value === undefined ? {} : { value }), hadSettings };
    }
    const tasks = vscode.workspace.getConfiguration('task').inspect('allowAutomaticTasks')?.globalValue;
    // first: what is changed can be put back, even when this window is closed in between
    await this.memory.update(memoryKey, { git, tasks } satisfies Saved);
    await vscode.workspace
      .getConfiguration('task')
      .update('allowAutomaticTasks', 'off', vscode.ConfigurationTarget.Global);
    for (const { uri } of folders) {
      const { WorkspaceFolder } = vscode.ConfigurationTarget;
      await vscode.workspace.getConfiguration('git', uri).update('enabled', false, WorkspaceFolder);
    }
  }

  /** Puts everything back as it was. */
  async wake(): Promise<void> {
    const saved = this.memory.get<Saved>(memoryKey);
    if (saved === undefined) return;
    await this.memory.update(memoryKey, undefined);
    await vscode.workspace
      .getConfiguration('task')
      .update('allowAutomaticTasks', saved.tasks, vscode.ConfigurationTarget.Global);
    for (const [text, { value, hadSettings }] of Object.entries(saved.git)) {
      const uri = vscode.Uri.parse(text);
      const { WorkspaceFolder } = vscode.ConfigurationTarget;
      await vscode.workspace.getConfiguration('git', uri).update('enabled', value, WorkspaceFolder);
      if (!hadSettings) await removeEmptySettings(await realPathOf(uri.fsPath));
    }
  }
}

/** What was made for the one setting goes again, when nothing else is in it. */
async function removeEmptySettings(workspace: string): Promise<void> {
  const content = await contentAt(workspace, settingsPath);
  if (content === undefined || content.toString().replace(/\s/g, '') !== '{}') return;
  await withEntry(workspace, settingsPath, (folder, name) => unlink(entryPath(folder, name)));
  // it stays when something else is in it
  await withEntry(workspace, '.vscode', (folder, name) =>
    rmdir(entryPath(folder, name)).catch(() => undefined),
  );
}
