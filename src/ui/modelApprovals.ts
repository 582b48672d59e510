import * as vscode from 'vscode';
import { Cancelled } from '../sandbox/userError';
import { plainText } from './plainText';

const keyOf = (folder: string): string => `modelApprovals ${folder}`;
/** More than anybody approves for one folder. */
const maximumApprovals = 200;

/**
 * The servers of models to which prompts from a folder may go. Kept in the extension's own state: the agent can write
 * the workspace, and with it the file that names the server. Folders are real paths, base URLs are normalised.
 */
export class ModelApprovals {
  constructor(private readonly memory: Pick<vscode.Memento, 'get' | 'update'>) {}

  /** The base URLs that are approved for a folder. */
  of(folder: string): readonly string[] {
    const stored = this.memory.get<unknown>(keyOf(folder));
    return Array.isArray(stored) ? stored.filter((entry) => typeof entry === 'string') : [];
  }

  /** Approves a server for a folder. */
  async approve(folder: string, baseUrl: string): Promise<void> {
    const approved = [...new Set([...this.of(folder), baseUrl])];
    await this.memory.update(keyOf(folder), approved.slice(-maximumApprovals));
  }

  /**
   * Asks about each of these servers that is not approved for a folder yet.
   * @param signal takes the question away
   * @throws Cancelled when one is not approved
   */
  async ask(folder: string, baseUrls: readonly string[], signal: AbortSignal): Promise<void> {
    const approved = this.of(folder);
    for (const baseUrl of new Set(baseUrls.filter((url) => !approved.includes(url)))) {
      await this.askAbout(folder, baseUrl, signal);
    }
  }

  private async askAbout(folder: string, baseUrl: string, signal: AbortSignal): Promise<void> {
    const host = plainText(new URL(baseUrl).host);
    const use: vscode.QuickPickItem = {
      label: vscode.l10n.t('Use {0} for this folder', host),
      detail: vscode.l10n.t(
        'opencode.json names it. Prompts, and what the agent reads, go to {0}',
        plainText(baseUrl),
      ),
    };
    const refuse: vscode.QuickPickItem = {
      label: vscode.l10n.t('Don’t start'),
      detail: vscode.l10n.t('Nothing is sent. Correct opencode.json if you did not write this.'),
    };
    const picked = await vscode.window.showQuickPick(
      [use, refuse],
      {
        title: vscode.l10n.t('A model that you have not approved'),
        placeHolder: vscode.l10n.t('The agent can write opencode.json, so look at where prompts would go'),
        ignoreFocusOut: true,
      },
      tokenOf(signal),
    );
    if (picked !== use) {
      throw new Cancelled('a model was not approved');
    }
    await this.approve(folder, baseUrl);
  }
}

function tokenOf(signal: AbortSignal): vscode.CancellationToken {
  const source = new vscode.CancellationTokenSource();
  signal.addEventListener('abort', () => source.cancel(), { once: true });
  if (signal.aborted) {
    source.cancel();
  }
  return source.token;
}
