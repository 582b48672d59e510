import * as vscode from 'vscode';
import { contextKeys, viewIds, type SessionsState } from '../../contributions';
import { UserError } from '../../sandbox/userError';
import { firstObstacle } from '../setup/obstacles';
import { plainText } from '../plainText';
import { problemTexts } from './sessionProblems';
import { sessionRow, type RowOptions } from './sessionRows';
import { SessionNodes, type SessionNode } from './sessionNodes';
import { sessionTree, type NodeData, type SessionOrder } from './sessionTree';
import { LiveRefresh } from '../liveRefresh';
import type { Say } from '../say';
import { translate } from '../translate';
import { windowFacts } from '../window';
import type { SessionFolder, WindowSessions } from './windowSessions';
import { treeItem } from '../treeRow';
import { setContext } from '../setContext';

export interface SessionsViewOptions {
  readonly sessions: WindowSessions;
  readonly say: Say;
}

/** Several things change at once. */
const settlingMilliseconds = 20;
/** Rows say how old they are, in minutes. */
const agingMilliseconds = 60_000;

/** The view *Sessions*: what the agents of this window's folders have done. Reads only while it is shown. */
export class SessionsView implements vscode.TreeDataProvider<SessionNode>, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<SessionNode | undefined>();
  readonly onDidChangeTreeData = this.changing.event;
  private readonly tree: vscode.TreeView<SessionNode>;
  private readonly subscriptions: readonly vscode.Disposable[];
  private readonly nodes = new SessionNodes();
  /** a running agent writes many times a second */
  private readonly live: LiveRefresh;
  private filterText = '';
  private sessionOrder: SessionOrder = 'updated';
  private aging: NodeJS.Timeout | undefined;

  constructor(private readonly options: SessionsViewOptions) {
    this.tree = vscode.window.createTreeView(viewIds.sessions, { treeDataProvider: this });
    this.live = new LiveRefresh({
      isVisible: () => this.tree.visible,
      refresh: () => Promise.resolve(this.update()),
      onError: (error) => void options.say.error(error),
      settlingMilliseconds,
    });
    this.subscriptions = [
      this.tree,
      this.changing,
      this.tree.onDidChangeVisibility(() => this.follow()),
      options.sessions.onDidChange(() => this.updateSoon()),
    ];
    this.follow();
  }

  get filter(): string {
    return this.filterText;
  }

  set filter(text: string) {
    this.filterText = text.trim();
    this.tree.description = this.filterText === '' ? '' : plainText(this.filterText);
    this.update();
  }

  get order(): SessionOrder {
    return this.sessionOrder;
  }

  set order(order: SessionOrder) {
    this.sessionOrder = order;
    this.update();
  }

  /** What is selected, for commands from the palette. */
  get selected(): SessionNode | undefined {
    return this.tree.selection[0];
  }

  getTreeItem({ id, data, found }: SessionNode): vscode.TreeItem {
    return treeItem(id, sessionRow(data, rowOptions()), collapsibleState(data, found.hasChildren));
  }

  getChildren(node?: SessionNode): SessionNode[] {
    return [...(node ? this.nodes.childrenOf(node) : this.nodes.roots)];
  }

  dispose(): void {
    this.live.dispose();
    clearInterval(this.aging);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** There may be something new to show. */
  updateSoon(): void {
    this.live.heard();
  }

  private follow(): void {
    const { sessions, say } = this.options;
    clearInterval(this.aging);
    sessions.setLooking('view', this.tree.visible).catch((error: unknown) => void say.error(error));
    if (this.tree.visible) {
      this.aging = setInterval(() => this.changing.fire(undefined), agingMilliseconds);
      this.update();
    }
  }

  /** Shows what is known now, and tells VS Code of what looks different, and of nothing else. */
  private update(): void {
    if (!this.tree.visible) return;
    const state = this.options.sessions.state();
    const tree = sessionTree(state, { filter: this.filterText, order: this.sessionOrder, dayOf });
    const changed = this.nodes.update(tree) ?? [undefined];
    changed.forEach((node) => this.changing.fire(node));
    this.explain();
  }

  /** Says why there is nothing, or not all. */
  private explain(): void {
    const { folders } = this.options.sessions;
    const state = this.nodes.roots.length > 0 ? 'list' : emptyState(folders, this.filterText !== '');
    // VS Code shows no welcome beside a message, and this one has buttons
    const isExplained = state === 'noOpencode' || (this.nodes.roots.length > 0 && folders.length > 1);
    this.tree.message = isExplained ? '' : messageOf(folders);
    void setContext(contextKeys.sessionsState, state);
    void setContext(contextKeys.hasSessions, state === 'list');
  }
}

function collapsibleState(data: NodeData, hasChildren: boolean): vscode.TreeItemCollapsibleState {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  if (!hasChildren) return None;
  const isRecent = data.kind === 'day' && dayOf(Date.now()) - data.start < recentMilliseconds;
  return data.kind === 'folder' || isRecent ? Expanded : Collapsed;
}

/** Days of the last week are open at first. */
const recentMilliseconds = 7 * 24 * 60 * 60 * 1000;

function rowOptions(): RowOptions {
  return {
    now: Date.now(),
    today: dayOf(Date.now()),
    render: translate,
    dayName: (start) => new Date(start).toLocaleDateString(undefined, { dateStyle: 'full' }),
    timeName: (time) => new Date(time).toLocaleString(),
  };
}

function dayOf(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

function messageOf(folders: readonly SessionFolder[]): string {
  for (const { home } of folders) {
    if (home.error !== undefined) {
      return home.error instanceof UserError
        ? translate(home.error.description)
        : translate(problemTexts.lost);
    }
    const { problem, listed } = home.store;
    if (problem !== undefined && problem !== 'none') return translate(problemTexts[problem]);
    if (listed?.isPartial === true) {
      return vscode.l10n.t(
        'What opencode has written last is missing: its log is too large to be read here.',
      );
    }
    if (listed !== undefined && listed.newer > 0) {
      return vscode.l10n.t(
        'This database was also used by opencode 2, whose own sessions are not listed. Use an image with opencode 2 to continue them.',
      );
    }
    if (listed !== undefined && listed.older > 0) {
      return vscode.l10n.t(
        'Sessions of opencode 1.1 or older are not listed ({0}): they are files in .local/share/opencode/storage in agent-home, which later versions do not read. opencode 1.2 takes them over when it is started with a copy of agent-home without opencode.db.',
        listed.older,
      );
    }
    if (listed?.isCut === true) return vscode.l10n.t('Only the 20,000 sessions used last are listed.');
  }
  return '';
}

const obstacleStates: Readonly<Record<string, SessionsState>> = {
  'window.notTrusted': 'untrusted',
  'window.noFolder': 'noFolder',
};

function emptyState(folders: readonly SessionFolder[], isFiltered: boolean): SessionsState {
  const obstacle = firstObstacle(windowFacts());
  if (obstacle) return obstacleStates[obstacle.code] ?? 'unsuitable';
  const [broken] = folders.filter(({ home }) => home.error !== undefined);
  if (broken) return isAboutImage(broken.home.error) ? 'noImage' : 'problem';
  if (folders.some(({ home }) => home.store.problem === 'noOpencode')) return 'noOpencode';
  if (folders.some(({ home }) => home.store.problem !== undefined && home.store.problem !== 'none'))
    return 'problem';
  if (folders.some(({ home }) => home.isEmpty === undefined || isReading(home))) return 'reading';
  return isFiltered && folders.some(({ home }) => home.store.size > 0) ? 'filtered' : 'empty';
}

function isReading({ store, isEmpty }: SessionFolder['home']): boolean {
  return isEmpty === false && store.listed === undefined && store.problem === undefined;
}

function isAboutImage(error: unknown): boolean {
  return error instanceof UserError && error.code.startsWith('image.');
}
