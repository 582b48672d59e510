import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { ReportBlock } from './reportBlock';
import { reportContent } from './reportContent';
import { pageIsReady, reportPage, type ReportMessage } from './reportPage';
import { reportMarkdown } from './reportText';
import type { ShownSandbox } from './statusText';
import { translate } from './translate';

/** A verdict grows old without anything happening. */
const updateMilliseconds = 1000;

/** The manifest shows a button for the report as Markdown where this is in front. */
const viewType = 'sandboxed-agent.isolationReport';

/**
 * The isolation report as a page that follows the verdicts while it is open. A page of our own, because VS Code lets
 * go of a virtual document that only a Markdown preview shows after some minutes, and of its updates with it (seen).
 */
export class IsolationReport implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** what the page was sent; undefined when it has nothing yet */
  private shown: string | undefined;
  private isListening = false;

  /** @param readSandboxes the sandboxes to report on */
  constructor(private readonly readSandboxes: () => readonly ShownSandbox[]) {}

  /** Opens the report, or brings it to the front. */
  show(): void {
    if (this.panel) {
      this.panel.reveal();
    } else {
      this.open();
    }
  }

  /** Shows the present state, if the report is open and there is something new. */
  update(): void {
    if (!this.isListening) {
      return;
    }
    const blocks = this.read();
    const news = JSON.stringify(blocks);
    if (news !== this.shown) {
      this.shown = news;
      void this.panel?.webview.postMessage({ blocks } satisfies ReportMessage);
    }
  }

  /** Opens the report of this moment as a new Markdown document, which the user can edit, copy and save. */
  async openAsMarkdown(): Promise<void> {
    const now = vscode.l10n.t('As of {0}', new Date().toLocaleString());
    const [title, ...rest] = this.read();
    const content = reportMarkdown([...(title ? [title] : []), { kind: 'paragraph', text: now }, ...rest]);
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
    await vscode.window.showTextDocument(document, { preview: false });
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): void {
    const panel = vscode.window.createWebviewPanel(
      viewType,
      vscode.l10n.t('Isolation Report'),
      vscode.ViewColumn.Active,
      { enableScripts: true, enableCommandUris: false, enableForms: false, localResourceRoots: [] },
    );
    panel.onDidDispose(() => this.closed());
    panel.onDidChangeViewState(() => this.visibilityChanged(panel.visible));
    panel.webview.onDidReceiveMessage((said: unknown) => {
      if (said === pageIsReady) {
        this.isListening = true;
        this.shown = undefined;
        this.update();
      }
    });
    panel.webview.html = reportPage(randomBytes(16).toString('hex'), vscode.env.language);
    this.panel = panel;
    this.timer = setInterval(() => this.update(), updateMilliseconds);
  }

  /** VS Code takes the page of a hidden tab away, and loads it anew when it is shown. */
  private visibilityChanged(isVisible: boolean): void {
    if (!isVisible) {
      this.isListening = false;
    }
  }

  private closed(): void {
    clearInterval(this.timer);
    this.panel = undefined;
    this.visibilityChanged(false);
  }

  private read(): ReportBlock[] {
    return reportContent(this.readSandboxes(), Date.now(), translate);
  }
}
