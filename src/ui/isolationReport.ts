import * as vscode from 'vscode';
import { isolationReport } from './reportText';
import type { ShownSandbox } from './statusText';
import { translate } from './translate';

const scheme = 'sandboxed-agent';
const reportUri = vscode.Uri.from({ scheme, path: '/Isolation Report.md' });

/** The isolation report as a read-only document that follows the verdicts while it is open. */
export class IsolationReport implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changing.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  /** @param look the sandboxes to report on */
  constructor(private readonly look: () => readonly ShownSandbox[]) {}

  provideTextDocumentContent(): string {
    return isolationReport(this.look(), Date.now(), translate);
  }

  /** The verdicts have changed. */
  update(): void {
    this.changing.fire(reportUri);
  }

  /** Opens the report, rendered. */
  async show(): Promise<void> {
    await vscode.commands.executeCommand('markdown.showPreview', reportUri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changing.dispose();
  }
}
