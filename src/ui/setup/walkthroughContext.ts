import * as vscode from 'vscode';
import { contextKeys, settingsSection } from '../../contributions';
import { findAgentHome } from '../../opencode/agentHome';
import { databaseChangedTime } from '../../opencode/sessions/databaseFiles';
import { setContext } from '../setContext';
import { readSettings } from '../settings';
import { diskFolders, realPathOf } from '../window';
import { isOfSome } from './isOfSome';

export interface WalkthroughFacts {
  /** whether a folder, by its real path, leads to a model that may be used */
  readonly hasModel: (folder: string) => Promise<boolean>;
  /** whether the last proof says something about what would run now */
  readonly isProven: () => boolean;
  /** for the log */
  readonly onError: (error: unknown) => void;
}

/**
 * Tells the walkthrough which of its steps are done, from facts: whoever did the same in another way has done them, and
 * whoever only opened a list has not. VS Code keeps what was done once, so nothing is looked for after it was found.
 */
export class WalkthroughContext implements vscode.Disposable {
  private readonly told = new Set<string>();
  private readonly subscription: vscode.Disposable;
  private runningSandboxes = 0;

  constructor(private readonly facts: WalkthroughFacts) {
    this.subscription = vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
      if ([...opened, ...changed].some(isPage)) void tellPageOpened();
    });
    if (vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isPage))) void tellPageOpened();
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** A sandbox was started or has ended: that is when models are approved, and when agents have made their memory. */
  follow(runningSandboxes: number): void {
    this.lookAtProof();
    if (runningSandboxes === this.runningSandboxes) return;
    this.runningSandboxes = runningSandboxes;
    this.look();
  }

  /** Looks at the folders of the window, now that something is different. */
  look(): void {
    this.lookAtProof();
    this.lookAtFolders().catch((error: unknown) => this.facts.onError(error));
  }

  /** One that is remembered over a restart counts from the beginning. */
  private lookAtProof(): void {
    if (!this.told.has(contextKeys.isProven) && this.facts.isProven()) this.tell(contextKeys.isProven);
  }

  private async lookAtFolders(): Promise<void> {
    if (!vscode.workspace.isTrusted) return;
    const { hasModel, onError } = this.facts;
    const looks = {
      [contextKeys.hasModel]: (_folder: vscode.WorkspaceFolder, path: string) => hasModel(path),
      [contextKeys.hasMemory]: hasMemory,
    };
    for (const [key, look] of Object.entries(looks)) {
      if (this.told.has(key)) continue;
      const isTrue = async (folder: vscode.WorkspaceFolder): Promise<boolean> =>
        look(folder, await realPathOf(folder.uri.fsPath));
      if (await isOfSome(diskFolders(), isTrue, onError)) this.tell(key);
    }
  }

  private tell(key: string): void {
    this.told.add(key);
    void setContext(key, true);
  }
}

/** A page of VS Code's own, of which an extension is told nothing else. */
function isPage({ input }: vscode.Tab): boolean {
  return input === undefined;
}

/**
 * VS Code completes a step only when its condition becomes true: what is true already when the walkthrough is opened for
 * the first time never counts (1.105 to 1.139, `registerDoneListeners`). So each step has a second condition, with this
 * key, which becomes true once more for each page that is opened.
 */
async function tellPageOpened(): Promise<void> {
  await setContext(contextKeys.pageOpened, true);
  await setContext(contextKeys.pageOpened, false);
}

/** Whether an agent of a folder has remembered something that is still there. */
async function hasMemory(folder: vscode.WorkspaceFolder, path: string): Promise<boolean> {
  const { agentHome } = readSettings(vscode.workspace.getConfiguration(settingsSection, folder));
  const home = await findAgentHome({ workspace: path, setting: agentHome });
  return home !== undefined && (await databaseChangedTime(home)) !== undefined;
}
