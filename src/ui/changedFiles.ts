import * as vscode from 'vscode';
import { changesText, type FolderChanges } from './changesText';
import { translate } from './translate';

const scheme = 'sandboxed-agent-changes';
const uri = vscode.Uri.from({ scheme, path: '/Changed Files.txt' });

/** What a task changed, as a read-only document. */
export class ChangedFiles implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changing.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  private text = '';

  provideTextDocumentContent(): string {
    return this.text;
  }

  /** Opens the document with these changes; there is one, which shows what was asked for last. */
  async show(changes: FolderChanges): Promise<void> {
    this.text = changesText(changes, translate);
    this.changing.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  }

  dispose(): void {
    this.registration.dispose();
    this.changing.dispose();
  }
}
