import * as vscode from 'vscode';
import type { TreeRow } from './treeRowData';

/** A row of a tree as VS Code wants it. @param id stays the same while the row is there */
export function treeItem(
  id: string,
  row: TreeRow,
  state = vscode.TreeItemCollapsibleState.None,
): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label, state);
  item.id = id;
  item.description = row.description;
  item.tooltip = row.tooltip;
  item.iconPath = new vscode.ThemeIcon(row.icon);
  item.contextValue = row.contextValue;
  item.accessibilityInformation = { label: row.accessibleLabel };
  return item;
}
