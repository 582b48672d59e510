import * as vscode from 'vscode';
import { commandIds, contextKeys, viewIds } from '../../contributions';
import { message } from '../../sandbox/message';
import { type FindingRow, findingRows, type PlacedFinding } from './findingRows';
import { translate } from '../translate';
import { treeItem } from '../treeRow';
import { setContext } from '../setContext';

class FindingNode {
  constructor(readonly row: FindingRow) {}
}

/** The findings of the rows on which a command was invoked; empty for one from the palette. */
export function findingsOf(row: unknown, selected: unknown): PlacedFinding[] {
  const nodes: unknown[] = Array.isArray(selected) && selected.length > 0 ? selected : [row];
  return nodes.flatMap((node) => (node instanceof FindingNode ? [node.row.placed] : []));
}

export interface FindingsState {
  readonly findings: readonly PlacedFinding[];
  /** how many more there are than are listed */
  readonly more: number;
  /** not all of a folder can be watched */
  readonly isIncomplete: boolean;
}

/** The view *Findings*, which is there while something waits for an answer. */
export class FindingsView implements vscode.TreeDataProvider<FindingNode>, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changing.event;
  private readonly tree: vscode.TreeView<FindingNode>;
  private rows: readonly FindingRow[] = [];
  private shown = '';

  constructor() {
    this.tree = vscode.window.createTreeView(viewIds.findings, {
      treeDataProvider: this,
      canSelectMany: true,
    });
  }

  getTreeItem(node: FindingNode): vscode.TreeItem {
    const item = treeItem(node.row.id, node.row);
    item.command = { command: commandIds.showFindingDiff, title: '', arguments: [node] };
    return item;
  }

  getChildren(node?: FindingNode): FindingNode[] {
    return node ? [] : this.rows.map((row) => new FindingNode(row));
  }

  get isVisible(): boolean {
    return this.tree.visible;
  }

  /** Shows what there is now. */
  update({ findings, more, isIncomplete }: FindingsState): void {
    const rows = findingRows(findings, translate);
    const notes = [
      ...(more > 0 ? [message('… and {0} more', more)] : []),
      ...(isIncomplete
        ? [message('Not all of the folder can be watched: some changes are found late, or not at all.')]
        : []),
    ];
    const shown = JSON.stringify([rows, notes]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.rows = rows;
    // VS Code hides an empty one
    this.tree.message = notes.map(translate).join('\n');
    const count = rows.length + more;
    const tooltip = translate(message('Findings that wait for an answer: {0}', count));
    this.tree.badge = count > 0 ? { value: count, tooltip } : undefined;
    void setContext(contextKeys.hasFindings, count > 0);
    this.changing.fire(undefined);
  }

  /** Brings the view to the front. */
  async focus(): Promise<void> {
    await vscode.commands.executeCommand(`${viewIds.findings}.focus`);
  }

  dispose(): void {
    this.tree.dispose();
    this.changing.dispose();
  }
}
