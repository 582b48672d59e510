import * as vscode from 'vscode';
import { isolationReport } from './reportText';
import type { ShownSandbox } from './statusText';
import { translate } from './translate';

const scheme = 'sandboxed-agent';
/** A verdict grows old without anything happening. */
const updateMilliseconds = 1000;

/**
 * The isolation report as a read-only document that follows the verdicts. VS Code lets go of a document that only a
 * preview shows after some minutes, and of its updates with it (seen), so the page says of when it is, and every
 * call of {@link show} opens a new one.
 */
export class IsolationReport implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changing.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  /** the name is the title of its tab */
  private uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t('Isolation report')}.md` });
  private shown = 0;
  /** undefined until somebody has read it */
  private latest: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param readSandboxes the sandboxes to report on */
  constructor(private readonly readSandboxes: () => readonly ShownSandbox[]) {}

  provideTextDocumentContent(uri: vscode.Uri): string {
    // also that of a page which VS Code has restored
    this.uri = uri;
    this.latest = this.write();
    this.timer ??= setInterval(() => this.update(), updateMilliseconds);
    const time = new Date().toLocaleTimeString();
    return `${vscode.l10n.t('As of {0}. The status item opens this page anew.', time)}\n\n${this.latest}`;
  }

  /**
   * Shows the present state, if the report is open. A document that changes loses its selection, and is read out
   * again: only when there is something new.
   */
  update(): void {
    if (this.latest !== undefined && this.latest !== this.write()) {
      this.changing.fire(this.uri);
    }
  }

  /** Opens the report, rendered where VS Code's own Markdown extension is not switched off. */
  async show(): Promise<void> {
    this.shown += 1;
    this.uri = this.uri.with({ query: String(this.shown) });
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

  private write(): string {
    return isolationReport(this.readSandboxes(), Date.now(), translate);
  }
}
