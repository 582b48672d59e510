import * as vscode from 'vscode';
import { isolationReport } from './reportText';
import type { ShownSandbox } from './statusText';
import { translate } from './translate';

const scheme = 'sandboxed-agent';
/** A verdict grows old without anything happening. */
const updateMilliseconds = 1000;

/** The isolation report as a read-only document that follows the verdicts. */
export class IsolationReport implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changing.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  /** the name is the title of its tab */
  private readonly uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t('Isolation report')}.md` });
  /** undefined until somebody has read it */
  private latest: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param readSandboxes the sandboxes to report on */
  constructor(private readonly readSandboxes: () => readonly ShownSandbox[]) {}

  provideTextDocumentContent(): string {
    this.latest = this.write();
    return this.latest;
  }

  /** Opens the report, rendered where VS Code's own Markdown extension is not switched off. */
  async show(): Promise<void> {
    this.timer ??= setInterval(() => this.update(), updateMilliseconds);
    try {
      await vscode.commands.executeCommand('markdown.showPreview', this.uri);
    } catch {
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(this.uri));
    }
  }

  dispose(): void {
    clearInterval(this.timer);
    this.registration.dispose();
    this.changing.dispose();
  }

  /** A document that changes loses its selection, and is read out again: only when there is something new. */
  private update(): void {
    if (this.latest !== undefined && this.latest !== this.write()) {
      this.changing.fire(this.uri);
    }
  }

  private write(): string {
    return isolationReport(this.readSandboxes(), Date.now(), translate);
  }
}
