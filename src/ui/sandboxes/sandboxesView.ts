import * as vscode from 'vscode';
import { viewIds } from '../../contributions';
import type { HostSandboxes } from '../../launch/hostSandboxes';
import type { SandboxRegistry } from '../../launch/sandboxRegistry';
import { listedSandboxes, sandboxRows, type ListedSandbox, type Row } from './sandboxRows';
import type { Say } from '../say';
import type { ShownSandbox } from '../status/indicator';
import { translate } from '../translate';
import { realFolders } from '../window';
import { treeItem } from '../treeRow';

/** An element of the tree. The same object stands for the same sandbox, so that VS Code keeps the selection. */
export class SandboxNode {
  children: readonly SandboxNode[] = [];

  constructor(public row: Row) {}
}

/** The sandbox of the row on which a command was invoked; undefined for one from the palette. */
export function sandboxOf(argument: unknown): ListedSandbox | undefined {
  return argument instanceof SandboxNode ? argument.row.sandbox : undefined;
}

export interface SandboxesViewOptions {
  readonly registry: SandboxRegistry;
  readonly say: Say;
  /** makes what finds the sandboxes of the whole host; `onChange` is to be called after each change */
  readonly makeHostSandboxes: (onChange: () => void) => HostSandboxes;
  /** called when the view is shown */
  readonly onShow: () => void;
  /** called when what is known of {@link SandboxesView.otherSandboxes} has changed */
  readonly onChange: () => void;
}

/** The view *Sandboxes*: what runs in this window's folders, and elsewhere on this host. Works only while shown. */
export class SandboxesView implements vscode.TreeDataProvider<SandboxNode>, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<SandboxNode | undefined>();
  readonly onDidChangeTreeData = this.changing.event;
  private readonly host: HostSandboxes;
  private readonly tree: vscode.TreeView<SandboxNode>;
  private readonly visibility: vscode.Disposable;
  private readonly nodes = new Map<string, SandboxNode>();
  private roots: readonly SandboxNode[] = [];
  private folders: ReadonlySet<string> = new Set();
  /** verdicts and ages grow old without anything happening */
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SandboxesViewOptions) {
    this.host = options.makeHostSandboxes(() => {
      this.update();
      options.onChange();
    });
    this.tree = vscode.window.createTreeView(viewIds.sandboxes, { treeDataProvider: this });
    this.visibility = this.tree.onDidChangeVisibility(() => this.follow());
    this.follow();
  }

  getTreeItem({ row, children }: SandboxNode): vscode.TreeItem {
    const { None, Expanded } = vscode.TreeItemCollapsibleState;
    return treeItem(row.id, row, children.length > 0 ? Expanded : None);
  }

  getChildren(node?: SandboxNode): SandboxNode[] {
    return [...(node?.children ?? this.roots)];
  }

  get isVisible(): boolean {
    return this.tree.visible;
  }

  /** What is known of sandboxes that are not this window's, while the view is shown. */
  otherSandboxes(): ShownSandbox[] {
    const known = new Set(this.options.registry.list().map(({ summary }) => summary.id));
    return this.host.list().flatMap(({ live }) => (live && !known.has(live.summary.id) ? [live] : []));
  }

  /** Shows the present state of what is known, if somebody looks. */
  update(): void {
    if (!this.tree.visible) {
      return;
    }
    const now = Date.now();
    const listed = listedSandboxes(this.options.registry.list(), this.host.list(), now);
    this.show(sandboxRows(listed, this.folders, now, translate));
  }

  /** The folders of the window have changed. */
  async foldersChanged(): Promise<void> {
    this.folders = await realFolders();
    this.update();
  }

  dispose(): void {
    clearInterval(this.timer);
    this.host.stop();
    this.visibility.dispose();
    this.tree.dispose();
    this.changing.dispose();
  }

  private follow(): void {
    clearInterval(this.timer);
    if (this.isVisible) {
      this.host.start();
      this.timer = setInterval(() => this.update(), updateMilliseconds);
      this.options.onShow();
      this.foldersChanged().catch((error: unknown) => void this.options.say.error(error));
    } else {
      this.host.stop();
    }
  }

  /** Fires for what looks different now, and for nothing else. */
  private show(rows: readonly Row[]): void {
    const changed: SandboxNode[] = [];
    const isSame = (one: readonly SandboxNode[], other: readonly SandboxNode[]): boolean =>
      one.length === other.length && one.every((node, index) => node === other[index]);
    const seen = new Set<string>();
    const adopt = (row: Row): SandboxNode => {
      seen.add(row.id);
      const node = this.nodes.get(row.id) ?? new SandboxNode(row);
      const children = row.children.map(adopt);
      if (!isSame(children, node.children) || looks(row) !== looks(node.row)) {
        changed.push(node);
      }
      node.row = row;
      node.children = children;
      this.nodes.set(row.id, node);
      return node;
    };
    const roots = rows.map(adopt);
    [...this.nodes.keys()].filter((id) => !seen.has(id)).forEach((id) => this.nodes.delete(id));
    if (!isSame(roots, this.roots)) {
      this.roots = roots;
      this.changing.fire(undefined);
    } else {
      changed.forEach((node) => this.changing.fire(node));
    }
  }
}

/** Everything of a row that can be seen. */
function looks({ children: _children, sandbox: _sandbox, ...visible }: Row): string {
  return JSON.stringify(visible);
}

const updateMilliseconds = 1000;
