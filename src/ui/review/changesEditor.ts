import * as vscode from 'vscode';
import { readPacks } from '../../host/snapshot/packs';
import { isText } from '../../snapshot/bytePath';
import type { Change } from '../../snapshot/diff';
import type { ReviewPoint } from './reviewPoint';
import type { SnapshotFiles } from './snapshotFiles';

/** More than an editor can show in reasonable time. */
const mostInEditor = 300;

/** Shows changes since a snapshot in editors of VS Code. */
export class ChangesEditor {
  constructor(private readonly files: SnapshotFiles) {}

  /** Shows one change. */
  async openOne(change: Change, point: ReviewPoint): Promise<void> {
    const { resource, before, after } = this.files.sides(change, point);
    // a picture that is new is looked at as what it is
    const isNewFile = change.before === undefined && change.after?.kind === 'file';
    if (isNewFile && isText(change.path)) await vscode.commands.executeCommand('vscode.open', resource);
    else if (before && after) await vscode.commands.executeCommand('vscode.diff', before, after);
    else await vscode.commands.executeCommand('vscode.open', after ?? before ?? resource);
  }

  /** Shows the first of these changes in one editor, if there are any. */
  async openAll(changes: readonly Change[], point: ReviewPoint): Promise<void> {
    const shown = changes.slice(0, mostInEditor);
    if (shown.length === 0) return;
    const packs = readPacks(point.store);
    const sides = shown.map((change) => this.files.sides(change, point, packs));
    await vscode.commands.executeCommand(
      'vscode.changes',
      this.title,
      sides.map(({ resource, before, after }) => [resource, before, after]),
    );
  }

  /** An editor that shows all changes shows those that there are now. */
  async renew(changes: readonly Change[], point: ReviewPoint): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    // VS Code adds how many files there are
    const shown = tabs.filter(({ label }) => label.startsWith(this.title));
    if (shown.length === 0) return;
    await vscode.window.tabGroups.close(shown, true);
    await this.openAll(changes, point);
  }

  private get title(): string {
    return vscode.l10n.t('Changes in the Sandbox');
  }
}
