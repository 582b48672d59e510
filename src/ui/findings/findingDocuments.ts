import * as vscode from 'vscode';
import type { FindingTexts } from './findingTexts';

const scheme = 'sandboxed-agent-finding';

/** Texts about findings, as read-only documents. What they are called says no name from the folder. */
export class FindingDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changing.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  private readonly texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? '';
  }

  /** Shows what was and what is side by side. */
  async compare({ before, now }: FindingTexts): Promise<void> {
    const title = vscode.l10n.t('Finding: before ↔ now');
    await vscode.commands.executeCommand(
      'vscode.diff',
      this.put('/before', before),
      this.put('/now', now),
      title,
    );
  }

  /** Shows a text. */
  async show(text: string): Promise<void> {
    const uri = this.put('/Findings.txt', text);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  }

  dispose(): void {
    this.registration.dispose();
    this.changing.dispose();
  }

  private put(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme, path });
    this.texts.set(path, text);
    this.changing.fire(uri);
    return uri;
  }
}
