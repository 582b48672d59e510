import * as vscode from 'vscode';
import { commandIds, viewIds } from '../../contributions';
import type { Change } from '../../snapshot/diff';
import { changeRow } from './changeRows';
import { translate } from '../translate';
import { treeItem } from '../treeRow';

/** A row: a change, or how many more there are. */
export class ChangeNode {
  constructor(readonly change: Change) {}
}

/** The change of the row on which a command was invoked; undefined from the palette. */
export function changeOf(argument: unknown): Change | undefined {
  return argument instanceof ChangeNode ? argument.change : undefined;
}

/** More than anybody reads one by one. */
const shownChanges = 5000;

/** The view *Changes*, which is there while changes are being reviewed. */
export class ChangesView implements vscode.TreeDataProvider<ChangeNode>, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changing.event;
  private readonly tree = vscode.window.createTreeView(viewIds.changes, {
    treeDataProvider: this,
    canSelectMany: true,
  });
  private nodes: readonly ChangeNode[] = [];

  getTreeItem(node: ChangeNode): vscode.TreeItem {
    const item = treeItem(node.change.path, changeRow(node.change, translate));
    item.command = { command: commandIds.openChange, title: '', arguments: [node] };
    return item;
  }

  getChildren(node?: ChangeNode): ChangeNode[] {
    return node ? [] : [...this.nodes];
  }

  /** Fires when the view comes into sight or goes. */
  get onDidChangeVisibility(): vscode.Event<unknown> {
    return this.tree.onDidChangeVisibility;
  }

  get isVisible(): boolean {
    return this.tree.visible;
  }

  /** What the user has selected. */
  get selected(): readonly Change[] {
    return this.tree.selection.map(({ change }) => change);
  }

  /** Shows these changes. @param unlisted how many there are besides @param remark above them, plain text */
  show(changes: readonly Change[], unlisted: number, remark: string): void {
    this.nodes = changes.slice(0, shownChanges).map((change) => new ChangeNode(change));
    const hidden = changes.length - this.nodes.length + unlisted;
    this.tree.message = [remark, ...(hidden > 0 ? [vscode.l10n.t('… and {0} more', hidden)] : [])].join('\n');
    this.tree.badge = undefined;
    this.changing.fire(undefined);
  }

  /** Brings the view to the front. */
  async reveal(): Promise<void> {
    await vscode.commands.executeCommand(`${viewIds.changes}.focus`);
  }

  dispose(): void {
    this.tree.dispose();
    this.changing.dispose();
  }
}
