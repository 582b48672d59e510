import * as vscode from 'vscode';
import { contextKeys, viewIds, type NetworkLogState } from '../../contributions';
import type { SandboxRegistry } from '../../launch/sandboxRegistry';
import { message } from '../../sandbox/message';
import type { AllowedHosts } from './allowedHosts';
import type { LoggedSandbox, NetworkLogs } from './networkLog';
import { noFilter, type DeniedHost, type NetworkFilter } from './networkLogGroups';
import { NetworkNotices } from './networkLogNotices';
import { networkRows, sandboxName, type NetworkRow } from './networkLogRows';
import { filterText, networkLogState } from './networkLogState';
import type { Say } from '../say';
import { translate } from '../translate';
import { treeItem } from '../treeRow';
import { setContext } from '../setContext';

/** An element of the tree. */
class NetworkNode {
  constructor(readonly row: NetworkRow) {}
}

/** The denied host of the row on which a command was invoked; undefined for one from the palette. */
export function deniedHostOfRow(argument: unknown): DeniedHost | undefined {
  return argument instanceof NetworkNode ? argument.row.denied : undefined;
}

export interface NetworkLogViewOptions {
  readonly logs: NetworkLogs;
  readonly registry: Pick<SandboxRegistry, 'running' | 'onNetwork' | 'onChange' | 'onEnd'>;
  readonly allowedHosts: AllowedHosts;
  readonly say: Say;
}

/** An agent can try a thousand hosts in a second; more often than four times nobody reads. */
const refreshMilliseconds = 250;
/** lines say in minutes how old they are */
const agingMilliseconds = 30_000;

/**
 * The view *Network Log*: what the sandboxes of this window tried to reach. Hidden, it only counts the denied hosts
 * that nobody has looked at, in its badge, and tells of them.
 */
export class NetworkLogView implements vscode.TreeDataProvider<NetworkNode>, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changing.event;
  private readonly tree: vscode.TreeView<NetworkNode>;
  private readonly notices: NetworkNotices;
  private readonly visibility: vscode.Disposable;
  private rows: readonly NetworkRow[] = [];
  private shown = '[]';
  private toldState: NetworkLogState | undefined;
  private currentFilter = noFilter;
  private pending: NodeJS.Timeout | undefined;
  private aging: NodeJS.Timeout | undefined;

  constructor(private readonly options: NetworkLogViewOptions) {
    const { registry, logs, allowedHosts } = options;
    this.tree = vscode.window.createTreeView(viewIds.networkLog, { treeDataProvider: this });
    this.notices = new NetworkNotices({
      isKeptDenied: (workspace, host) => allowedHosts.isKeptDenied(workspace, host),
      isLookedAt: () => this.tree.visible,
      notify: () => this.notify(),
      now: () => performance.now(),
      later: (milliseconds, callback) => {
        const timer = setTimeout(callback, milliseconds);
        return () => clearTimeout(timer);
      },
    });
    registry.onNetwork((sandbox, entry) => {
      const { verdict, host } = logs.record(sandbox, entry);
      if (verdict === 'denied') {
        this.notices.denied(sandbox.summary, host);
      }
      this.update();
    });
    registry.onEnd(({ summary }) => this.notices.forget(summary.id));
    registry.onChange(() => this.look());
    this.visibility = this.tree.onDidChangeVisibility(() => this.follow());
    this.follow();
  }

  getTreeItem({ row }: NetworkNode): vscode.TreeItem {
    return treeItem(row.id, row);
  }

  getChildren(node?: NetworkNode): NetworkNode[] {
    return node ? [] : this.rows.map((row) => new NetworkNode(row));
  }

  get filter(): NetworkFilter {
    return this.currentFilter;
  }

  /** Shows only what a filter leaves, from now on. */
  setFilter(filter: NetworkFilter): void {
    this.currentFilter = filter;
    this.update();
  }

  /** Shows the present state soon; however often it is called, not too often. */
  update(): void {
    this.pending ??= setTimeout(() => {
      this.pending = undefined;
      this.show();
    }, refreshMilliseconds);
  }

  /** Brings the view to the front, with the keyboard in it. */
  async focus(): Promise<void> {
    await vscode.commands.executeCommand(`${viewIds.networkLog}.focus`);
  }

  dispose(): void {
    clearTimeout(this.pending);
    clearInterval(this.aging);
    this.notices.dispose();
    this.visibility.dispose();
    this.tree.dispose();
    this.changing.dispose();
  }

  private follow(): void {
    clearInterval(this.aging);
    if (this.tree.visible) {
      this.notices.lookedAt();
      this.aging = setInterval(() => this.show(), agingMilliseconds);
      this.show();
    }
    this.look();
  }

  /** A sandbox that this window did not start has tried things before. */
  private look(): void {
    if (this.tree.visible) {
      void this.options.logs.complete().then(() => this.update());
    }
    this.update();
  }

  private show(): void {
    this.showBadge();
    if (!this.tree.visible) {
      return;
    }
    const { logs, allowedHosts, registry } = this.options;
    const sandboxes = logs.list();
    this.rows = networkRows(sandboxes, {
      filter: this.currentFilter,
      decisionsFor: (summary) => allowedHosts.decisionsFor(summary),
      now: Date.now(),
      render: translate,
    });
    this.tellFilter(sandboxes);
    const isFiltered = this.rows.length === 0 && sandboxes.some(({ entries }) => entries.length > 0);
    const networks = registry.running().map(({ summary }) => summary.network);
    this.tellState(networkLogState(networks, isFiltered));
    const shown = JSON.stringify(this.rows);
    if (shown !== this.shown) {
      this.shown = shown;
      this.changing.fire(undefined);
    }
  }

  private showBadge(): void {
    const { unseen } = this.notices;
    if (unseen === (this.tree.badge?.value ?? 0)) {
      return;
    }
    const tooltip = translate(message('Denied hosts that nobody has looked at: {0}', unseen));
    this.tree.badge = unseen > 0 ? { value: unseen, tooltip } : undefined;
  }

  private tellFilter(sandboxes: readonly LoggedSandbox[]): void {
    const only = sandboxes.find(({ summary }) => summary.id === this.currentFilter.sandboxId);
    const text = filterText(this.currentFilter, only && sandboxName(only, translate), translate);
    if (text !== (this.tree.description ?? '')) {
      this.tree.description = text;
    }
  }

  private tellState(state: NetworkLogState): void {
    if (state !== this.toldState) {
      this.toldState = state;
      void setContext(contextKeys.networkLogState, state);
    }
  }

  private async notify(): Promise<void> {
    const { say } = this.options;
    try {
      const text = message(
        'A sandbox was denied a connection. The Network Log says to which host, and lets you allow it.',
      );
      if (await say.offer(text, vscode.l10n.t('Show'))) {
        await this.focus();
      }
    } catch (error) {
      void say.error(error);
    }
  }
}
