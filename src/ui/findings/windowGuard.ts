import { relative } from 'node:path';
import * as vscode from 'vscode';
import { settingsSection } from '../../contributions';
import { boundBy, boundPaths } from '../../guard/boundPaths';
import { severityOf } from '../../guard/finding';
import { GuardStore } from '../../guard/guardStore';
import { WorkspaceGuard } from '../../guard/workspaceGuard';
import type { KnownSandbox, SandboxRegistry } from '../../launch/sandboxRegistry';
import { message } from '../../sandbox/message';
import { agentHomeName, isSameOrInside } from '../../sandbox/paths';
import { defaultProtectedPaths, readProtectedPatterns } from '../../sandbox/protectedPaths';
import type { SandboxSpecification } from '../../sandbox/specification';
import type { Verdict } from '../../sandbox/verdict';
import { EditorRest } from './editorRest';
import { editorSettings } from './editorSettings';
import { FindingDocuments } from './findingDocuments';
import { FindingNotices } from './findingNotices';
import type { PlacedFinding } from './findingRows';
import { FindingsView } from './findingsView';
import type { Say } from '../say';
import { readSettings } from '../settings';
import { diskFolders, realFolders, realPathOf } from '../window';

export interface WindowGuardOptions {
  /** of the extension */
  readonly storageDirectory: string;
  readonly registry: Pick<SandboxRegistry, 'running'>;
  /** whether a sandbox is being started, which is not in the registry yet */
  readonly isStarting: () => boolean;
  /** of this window's folders, `workspaceState` */
  readonly memory: vscode.Memento;
  /** of all windows, `globalState` */
  readonly userMemory: vscode.Memento;
  readonly say: Say;
  /** called when the number of findings has changed */
  readonly onChange: () => void;
}

/** Watches over the folders of a window while sandboxes run in them, and shows what was found. */
export class WindowGuard implements vscode.Disposable {
  readonly view = new FindingsView();
  readonly documents = new FindingDocuments();
  readonly rest: EditorRest;
  private readonly hearing = new vscode.EventEmitter<string>();
  /** fires with the real path of a folder in which something has happened while a sandbox runs */
  readonly onDidHear = this.hearing.event;
  private readonly guards = new Map<string, Promise<WorkspaceGuard>>();
  private readonly open = new Map<string, WorkspaceGuard>();
  private readonly notices: FindingNotices;
  /** what each workspace's sandboxes could not write when that was verified last, with its time */
  private readonly verified = new Map<string, { readonly time: number; readonly paths: readonly string[] }>();
  /** by the id of a sandbox that is being started */
  private readonly noting = new Map<string, Promise<void>>();
  private isDisposed = false;

  constructor(private readonly options: WindowGuardOptions) {
    const { memory, userMemory } = options;
    this.rest = new EditorRest({ settings: editorSettings, memory, userMemory });
    this.notices = new FindingNotices({
      notify: () => this.notify(),
      isLookedAt: () => this.view.isVisible,
    });
  }

  /** Everything that waits for an answer in this window. */
  findings(): PlacedFinding[] {
    return [...this.open].flatMap(([workspace, guard]) =>
      guard.list().map((finding) => ({ workspace, finding })),
    );
  }

  /** How many more there are than are listed. */
  get more(): number {
    return [...this.open.values()].reduce((sum, { more }) => sum + more, 0);
  }

  /** The guards of the folders of which something is known. */
  known(): WorkspaceGuard[] {
    return [...this.open.values()];
  }

  guardOf({ workspace }: PlacedFinding): WorkspaceGuard | undefined {
    return this.open.get(workspace);
  }

  /** Shows again what was found before this window was opened, and looks for what was not seen. */
  async restore(): Promise<void> {
    for (const workspace of await realFolders()) {
      await (await this.guard(workspace)).restore();
    }
    this.update();
  }

  /** Begins to note what is in a workspace before a sandbox starts there: the sandbox waits for {@link noted}. */
  note({ id, workspace }: Pick<SandboxSpecification, 'id' | 'workspace'>): void {
    const isRunning = this.options.registry
      .running()
      .some(({ summary }) => summary.workspace === workspace.path);
    const noting = this.guard(workspace.path).then((guard) => (isRunning ? guard.follow() : guard.begin()));
    noting.catch(() => undefined);
    this.noting.set(id, noting);
  }

  /** Resolves when it is noted. */
  async noted({ id }: Pick<SandboxSpecification, 'id'>): Promise<void> {
    const noting = this.noting.get(id);
    this.noting.delete(id);
    await noting;
  }

  /** The sandboxes of this window, or what is known of them, have changed. */
  update(): void {
    if (this.isDisposed) return;
    const running = this.options.registry.running();
    const workspaces = new Set(running.map(({ summary }) => summary.workspace));
    for (const workspace of workspaces) this.tellErrors(this.follow(workspace, running));
    for (const [workspace, guard] of this.open) {
      if (!workspaces.has(workspace) && guard.isWatching && !this.options.isStarting()) {
        this.verified.delete(workspace);
        this.tellErrors(guard.settle());
      }
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.open.forEach((guard) => guard.dispose());
    this.view.dispose();
    this.hearing.dispose();
    this.documents.dispose();
  }

  private async follow(workspace: string, running: readonly KnownSandbox[]): Promise<void> {
    const guard = await this.guard(workspace);
    if (!guard.isWatching) await guard.follow();
    const verdicts = verdictsOf(workspace, running);
    const paths = boundPaths(verdicts);
    const time = Math.min(...verdicts.map((verdict) => verdict?.time ?? 0));
    const before = this.verified.get(workspace);
    if (before?.time === time) return;
    this.verified.set(workspace, { time, paths });
    await guard.verified(before?.paths.some((path) => !paths.includes(path)) ?? false);
  }

  private guard(workspace: string): Promise<WorkspaceGuard> {
    const known = this.guards.get(workspace);
    if (known) return known;
    const made = this.make(workspace);
    this.guards.set(workspace, made);
    made.catch(() => this.guards.delete(workspace));
    return made;
  }

  private async make(workspace: string): Promise<WorkspaceGuard> {
    const { storageDirectory, registry, say } = this.options;
    const guard = new WorkspaceGuard({
      folder: { workspace, ...(await readFolderSettings(workspace)) },
      store: await GuardStore.open(storageDirectory, workspace),
      boundBy: (path) => {
        const found = boundBy(`${workspace}/${path}`, verdictsOf(workspace, registry.running()));
        return found && { ...found, path: relative(workspace, found.path) };
      },
      onChange: () => this.changed(),
      onError: (error) => void say.error(error),
      onNews: () => this.hearing.fire(workspace),
    });
    this.open.set(workspace, guard);
    return guard;
  }

  private changed(): void {
    if (this.isDisposed) return;
    const findings = this.findings();
    this.view.update({
      ...{ findings, more: this.more },
      isIncomplete: this.known().some(({ isIncomplete }) => isIncomplete),
    });
    this.notices.update(findings);
    if (!findings.some(({ finding }) => severityOf(finding) === 'severe')) {
      this.tellErrors(this.rest.wake());
    }
    this.options.onChange();
  }

  private async notify(): Promise<void> {
    const { rest } = this;
    const { say } = this.options;
    const show = vscode.l10n.t('Show Findings');
    const pause = vscode.l10n.t('Pause Git and Tasks');
    const text = message(
      'While a sandbox ran, something was made or changed that this computer runs by itself, for example a git repository or settings of the editor. Look at the findings before you go on.',
    );
    try {
      const answer = await say.warn(text, rest.isResting ? [show] : [show, pause]);
      if (answer === pause) await rest.rest();
      if (answer !== undefined) await this.view.focus();
    } catch (error) {
      void say.error(error);
    }
  }

  private tellErrors(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.isDisposed) void this.options.say.error(error);
    });
  }
}

function verdictsOf(workspace: string, running: readonly KnownSandbox[]): (Verdict | undefined)[] {
  return running.filter(({ summary }) => summary.workspace === workspace).map(({ status }) => status.verdict);
}

/** What the settings say of what is looked at in a folder. @param workspace real path */
async function readFolderSettings(
  workspace: string,
): Promise<{ patterns: ReturnType<typeof readProtectedPatterns>; home?: string }> {
  for (const folder of diskFolders()) {
    if ((await realPathOf(folder.uri.fsPath)) === workspace) {
      try {
        const settings = readSettings(vscode.workspace.getConfiguration(settingsSection, folder));
        return { ...readPatterns(settings.protectedPaths), ...homeBelow(workspace, settings.agentHome) };
      } catch {
        // no sandbox starts with settings that can't be used; what is watched by default is watched
      }
    }
  }
  return { patterns: [], home: agentHomeName };
}

/** The default list has rules of its own, by which each is explained. */
function readPatterns(entries: readonly string[]): { patterns: ReturnType<typeof readProtectedPatterns> } {
  return {
    patterns: readProtectedPatterns(entries.filter((entry) => !defaultProtectedPaths.includes(entry))),
  };
}

function homeBelow(workspace: string, setting: string): { home?: string } {
  const path = setting === 'workspace' ? `${workspace}/agent-home` : setting;
  return path.startsWith('/') && isSameOrInside(workspace, path) ? { home: relative(workspace, path) } : {};
}
