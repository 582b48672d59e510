import * as vscode from 'vscode';
import { settingKeys, settingName, settingsSection } from '../../contributions';
import { DeletedSessions, type DeletedSession } from '../../launch/deletedSessions';
import { HomeSessions } from '../../launch/homeSessions';
import { withHomeToWrite } from '../../launch/homeWriting';
import type { SandboxRegistry } from '../../launch/sandboxRegistry';
import { editSessions, type SessionEdit } from '../../launch/sessionEditor';
import { moveSession } from '../../launch/sessionMove';
import { sessionSandboxOf } from '../../launch/sessionSandbox';
import { findAgentHome } from '../../opencode/agentHome';
import { formatMessage } from '../../sandbox/message';
import { runsOpencode, type SandboxSpecification } from '../../sandbox/specification';
import type { Waiting } from './homeOpener';
import type { Log } from '../log';
import type { SandboxLauncher } from '../sandboxes/sandboxLauncher';
import type { FolderSessions, FolderState } from './sessionTree';
import { readSettings } from '../settings';
import type { StartScript } from '../sandboxes/startScript';
import { diskFolders, realPathOf } from '../window';

export interface WindowSessionsOptions {
  readonly launcher: Pick<SandboxLauncher, 'specify'>;
  readonly registry: Pick<SandboxRegistry, 'running'>;
  readonly log: Log;
  readonly storageDirectory: string;
  readonly startScript: StartScript;
  /** has a home looked at before opencode of the image changes it, as before a start */
  readonly openHome: (specification: SandboxSpecification, waiting: Waiting) => Promise<void>;
}

/** The settings by which sessions are found and read. */
const whatReadingNeeds = [settingKeys.agentHome, settingKeys.apptainerPath, settingKeys.image];

/** What shows sessions; while nothing does, nothing is read. */
export type Looker = 'view' | 'transcripts';

/** A folder of the window with the sessions of its agent. */
export interface SessionFolder {
  /** real path */
  readonly path: string;
  readonly folder: vscode.WorkspaceFolder;
  readonly home: HomeSessions;
  deleted: readonly DeletedSession[];
}

/** The sessions of the agents of this window's folders. They are read only while somebody looks. */
export class WindowSessions implements vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<void>();
  /** There may be something new to show; may come often. */
  readonly onDidChange = this.changing.event;
  private readonly byPath = new Map<string, SessionFolder>();
  private readonly deletedSessions: DeletedSessions;
  private readonly lookers = new Set<Looker>();
  private readonly settings: vscode.Disposable;

  constructor(private readonly options: WindowSessionsOptions) {
    this.deletedSessions = new DeletedSessions(options.storageDirectory);
    this.settings = vscode.workspace.onDidChangeConfiguration((event) => {
      if (whatReadingNeeds.some((key) => event.affectsConfiguration(settingName(key)))) void this.refresh();
    });
  }

  get folders(): readonly SessionFolder[] {
    return [...this.byPath.values()];
  }

  folderAt(path: string): SessionFolder | undefined {
    return this.byPath.get(path);
  }

  /** What the tree is made of. */
  state(): FolderSessions[] {
    return this.folders.map(({ path, folder, home, deleted }) => ({
      folder: path,
      label: folder.name,
      state: stateOf(home),
      sessions: home.store.sessions,
      deleted,
      agentsSince: this.options.registry
        .running()
        .filter(({ summary }) => summary.workspace === path && runsOpencode(summary.kind))
        .map(({ summary }) => summary.startedAt),
    }));
  }

  /** Somebody looks, or does not any more. */
  async setLooking(looker: Looker, isLooking: boolean): Promise<void> {
    if (isLooking) this.lookers.add(looker);
    else this.lookers.delete(looker);
    const { isShown } = this;
    await this.foldersChanged();
    for (const { home } of this.folders) {
      if (isShown) home.show();
      else home.hide();
    }
    if (isShown) await Promise.all(this.folders.map((folder) => this.readDeleted(folder)));
  }

  /** The folders of the window have changed. */
  async foldersChanged(): Promise<void> {
    const present = new Map<string, vscode.WorkspaceFolder>();
    for (const folder of vscode.workspace.isTrusted ? diskFolders() : []) {
      present.set(await realPathOf(folder.uri.fsPath), folder);
    }
    for (const [path, { home }] of this.byPath) {
      if (!present.has(path)) {
        this.byPath.delete(path);
        void home.dispose();
      }
    }
    for (const [path, folder] of present) {
      if (this.byPath.has(path)) continue;
      const entry = { path, folder, home: this.homeOf(path, folder), deleted: [] };
      this.byPath.set(path, entry);
      if (this.isShown) entry.home.show();
    }
    this.changing.fire();
  }

  /** Reads everything anew, in new sandboxes. */
  async refresh(): Promise<void> {
    await Promise.all(this.folders.map(({ home }) => home.restart()));
  }

  /**
   * Has opencode change or export sessions of a folder.
   * @returns what each edit exported
   * @throws UserError, Cancelled
   */
  async edit({ folder, home }: SessionFolder, edits: readonly SessionEdit[]): Promise<string[]> {
    const { launcher, startScript, openHome, log } = this.options;
    const specification = await launcher.specify('agent', folder);
    const { signal } = new AbortController();
    await openHome(specification, { signal, say: (text) => log.info(formatMessage(text)) });
    const sandbox = sessionSandboxOf(specification, true);
    const results = await withHomeToWrite(specification, () =>
      editSessions(
        (onLine) => startScript(sandbox, 'sessionEditor.mjs', onLine),
        edits,
        (line) => log.warn(line),
      ),
    );
    await home.refresh();
    return results;
  }

  /**
   * Deletes a session with its sub-agents, after they were exported to where they can be restored from.
   * @throws UserError; nothing is deleted then
   */
  async delete(folder: SessionFolder, id: string): Promise<void> {
    const { store } = folder.home;
    const exports = await this.edit(
      folder,
      familyOf(id, store.sessions).map((session) => ({ exportSession: { session, isSanitized: false } })),
    );
    const title = store.find(id)?.title ?? '';
    await this.deletedSessions.keep({ id, title, deletedAt: Date.now(), folder: folder.path, exports });
    await this.edit(folder, [{ remove: { session: id } }]);
    await this.readDeleted(folder);
  }

  /** Moves a session with its sub-agents into the folder, where opencode can go on with them. @throws UserError */
  async moveHere(folder: SessionFolder, id: string): Promise<void> {
    const family = familyOf(id, folder.home.store.sessions);
    const moves = family.map((session) => ({ move: { session, directory: folder.path } }));
    await moveSession({
      move: () => this.edit(folder, moves),
      takeOut: () => this.delete(folder, id),
      bringBack: () => this.restore(folder, id),
    });
  }

  /** Brings a deleted session back. @throws UserError */
  async restore(folder: SessionFolder, id: string): Promise<void> {
    const exports = await this.deletedSessions.exportsOf(folder.path, id);
    await this.edit(
      folder,
      exports.map((content) => ({ restore: { content, directory: folder.path } })),
    );
    await this.deletedSessions.remove(folder.path, id);
    await this.readDeleted(folder);
  }

  dispose(): void {
    this.folders.forEach(({ home }) => void home.dispose());
    this.settings.dispose();
    this.changing.dispose();
  }

  private get isShown(): boolean {
    return this.lookers.size > 0;
  }

  private async readDeleted(folder: SessionFolder): Promise<void> {
    folder.deleted = await this.deletedSessions.list(folder.path, Date.now());
    this.changing.fire();
  }

  private homeOf(path: string, folder: vscode.WorkspaceFolder): HomeSessions {
    const { launcher, log, startScript } = this.options;
    const settingOf = (): string =>
      readSettings(vscode.workspace.getConfiguration(settingsSection, folder)).agentHome;
    return new HomeSessions({
      findHome: () => findAgentHome({ workspace: path, setting: settingOf() }),
      specify: () => launcher.specify('agent', folder),
      startScript,
      onChange: () => this.changing.fire(),
      onLog: (line) => log.warn(line),
    });
  }
}

function stateOf(home: HomeSessions): FolderState {
  if (home.error !== undefined) return 'failed';
  if (home.isEmpty === true || home.store.problem === 'none') return 'empty';
  if (home.store.problem !== undefined) return 'failed';
  if (home.store.size > 0) return 'ready';
  return home.store.listed === undefined ? 'reading' : 'empty';
}

/** A session and those that it started, and so on; opencode deletes them together. */
function familyOf(
  id: string,
  sessions: readonly { readonly id: string; readonly parent: string }[],
): string[] {
  const found = [id];
  for (const parent of found) {
    found.push(
      ...sessions
        .filter((child) => child.parent === parent && !found.includes(child.id))
        .map((child) => child.id),
    );
  }
  return found;
}
