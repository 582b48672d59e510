import { randomBytes } from 'node:crypto';
import { rmdir, unlink } from 'node:fs/promises';
import type { Memento } from 'vscode';
import { contentAt, statsAt, withEntry } from '../../guard/lookAtOne';
import { entryPath } from '../../host/safeFiles';
import { SerialQueue } from '../../host/serialQueue';

/** The settings that are changed, of VS Code or of a test. A folder is the URI of one of this window. */
export interface EditorSettings {
  folders(): readonly string[];
  realPath(folder: string): Promise<string>;
  /** the folder's own value of `git.enabled` */
  git(folder: string): unknown;
  setGit(folder: string, value: unknown): Promise<void>;
  /** the user's value of `task.allowAutomaticTasks`, which a folder can't set */
  tasks(): unknown;
  setTasks(value: unknown): Promise<void>;
}

export interface EditorRestOptions {
  readonly settings: EditorSettings;
  /** of this window's folders, `workspaceState` */
  readonly memory: Pick<Memento, 'get' | 'update'>;
  /** of all windows, `globalState` */
  readonly userMemory: Pick<Memento, 'get' | 'update'>;
}

/** What the settings of a folder were: its own value of `git.enabled`, and whether it had a file of settings. */
interface SavedGit {
  readonly value?: unknown;
  readonly hadSettings: boolean;
}

/** What this window has changed, by which it is put back. */
interface Saved {
  readonly git: Readonly<Record<string, SavedGit>>;
  /** by which this window is named in {@link SavedTasks} */
  readonly holder: string;
  /** it was put back but for what could not be */
  readonly isAwake?: boolean;
}

/** The user's value before any window changed it; the last one of these windows puts it back. */
interface SavedTasks {
  readonly value?: unknown;
  readonly holders: readonly string[];
}

const memoryKey = 'editorAtRest';
const tasksKey = 'automaticTasksAtRest';
const settingsPath = '.vscode/settings.json';

/**
 * Puts VS Code's own git and automatic tasks at rest in the folders of this window, and back. Git must be switched off
 * in the folder's own settings: those beat the user's, and the agent may have written them. Where it has put a link in
 * their place they are left alone: VS Code would write where it leads to.
 */
export class EditorRest {
  /** it is asked for again while it is done */
  private readonly queue = new SerialQueue();

  constructor(private readonly options: EditorRestOptions) {}

  get isResting(): boolean {
    return this.saved !== undefined && this.saved.isAwake !== true;
  }

  rest(): Promise<void> {
    return this.queue.add(() => this.restNow());
  }

  /**
   * Puts everything back as it was. What can't be put back now is kept in mind, for the next time.
   * @throws the first error of those that a change of settings failed with
   */
  wake(): Promise<void> {
    return this.queue.add(() => this.wakeNow());
  }

  private get saved(): Saved | undefined {
    return this.options.memory.get<Saved>(memoryKey);
  }

  private async restNow(): Promise<void> {
    if (this.isResting) return;
    const { settings, memory } = this.options;
    const { saved } = this;
    const git: Record<string, SavedGit> = {};
    for (const folder of settings.folders()) {
      const workspace = await settings.realPath(folder);
      if (!(await hasOrdinarySettings(workspace))) continue;
      const value = settings.git(folder);
      const hadSettings = (await contentAt(workspace, settingsPath)) !== undefined;
      git[folder] = { ...(value === undefined ? {} : { value }), hadSettings };
    }
    // what could not be put back is not what the user had
    Object.assign(git, saved?.git);
    const holder = saved?.holder ?? randomBytes(8).toString('hex');
    // first: what is changed can be put back, even when this window is closed in between
    await memory.update(memoryKey, { git, holder } satisfies Saved);
    await this.holdTasks(holder);
    for (const folder of Object.keys(git)) {
      if (await hasOrdinarySettings(await settings.realPath(folder))) await settings.setGit(folder, false);
    }
  }

  private async wakeNow(): Promise<void> {
    const { saved } = this;
    if (saved === undefined) return;
    const errors: unknown[] = [];
    const remaining: Record<string, SavedGit> = {};
    const isTasksBack = await this.releaseTasks(saved.holder).catch((error: unknown) => {
      errors.push(error);
    });
    for (const [folder, before] of Object.entries(saved.git)) {
      const isBack = await this.wakeGit(folder, before).catch((error: unknown) => {
        errors.push(error);
      });
      if (isBack !== true) remaining[folder] = before;
    }
    const isDone = isTasksBack === true && Object.keys(remaining).length === 0;
    await this.options.memory.update(
      memoryKey,
      isDone ? undefined : { ...saved, git: remaining, isAwake: true },
    );
    if (errors.length > 0) throw errors[0];
  }

  /** @returns false when a link is where the settings were: it may be taken away, and they be put back */
  private async wakeGit(folder: string, { value, hadSettings }: SavedGit): Promise<boolean> {
    const { settings } = this.options;
    const workspace = await settings.realPath(folder);
    if (!(await hasOrdinarySettings(workspace))) return false;
    await settings.setGit(folder, value);
    if (!hadSettings) await removeEmptySettings(workspace);
    return true;
  }

  /** The user's value is what it was before the first window changed it. */
  private async holdTasks(holder: string): Promise<void> {
    const { settings, userMemory } = this.options;
    const known = userMemory.get<SavedTasks>(tasksKey);
    const saved = known ?? { value: settings.tasks(), holders: [] };
    await userMemory.update(tasksKey, { ...saved, holders: [...new Set([...saved.holders, holder])] });
    await settings.setTasks('off');
  }

  private async releaseTasks(holder: string): Promise<true> {
    const { settings, userMemory } = this.options;
    const saved = userMemory.get<SavedTasks>(tasksKey);
    if (saved?.holders.includes(holder) !== true) return true;
    const holders = saved.holders.filter((each) => each !== holder);
    if (holders.length === 0) await settings.setTasks(saved.value);
    await userMemory.update(tasksKey, holders.length === 0 ? undefined : { ...saved, holders });
    return true;
  }
}

/** Whether the folder's settings, as far as they are there, are a file in a folder that have no other name. */
async function hasOrdinarySettings(workspace: string): Promise<boolean> {
  const folder = await withEntry(workspace, '.vscode', (above, name) => statsAt(entryPath(above, name)));
  if (folder === undefined) return true;
  if (!folder.isDirectory()) return false;
  const file = await withEntry(workspace, settingsPath, (above, name) => statsAt(entryPath(above, name)));
  return file === undefined || (file.isFile() && file.nlink === 1n);
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
