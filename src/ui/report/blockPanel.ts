import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { type PageBlock, pageIsReady, pressedButton, reportPage, type ReportMessage } from './reportPage';

export interface BlockPanelOptions {
  /** by which the manifest knows it */
  readonly viewType: string;
  readonly title: string;
  /** what there is to show now */
  readonly read: () => readonly PageBlock[];
  /** with the key of the button */
  readonly onPress?: (key: string) => void;
  /** called when it is opened, and when it is closed */
  readonly onOpen?: (isOpen: boolean) => void;
}

/**
 * A page of plain blocks in a tab, which is sent what is new. A page of our own, because VS Code lets go of a virtual
 * document that only a Markdown preview shows after some minutes, and of its updates with it (seen).
 */
export class BlockPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** what the page was sent; undefined when it has nothing yet */
  private shown: string | undefined;
  private isListening = false;

  constructor(private readonly options: BlockPanelOptions) {}

  /** Opens the page, or brings it to the front. */
  show(): void {
    if (this.panel) {
      this.panel.reveal();
    } else {
      this.open();
    }
  }

  /** Shows the present state, if the page is open and there is something new. */
  update(): void {
    if (!this.isListening) {
      return;
    }
    const blocks = this.options.read();
    const news = JSON.stringify(blocks);
    if (news !== this.shown) {
      this.shown = news;
      void this.panel?.webview.postMessage({ blocks } satisfies ReportMessage);
    }
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): void {
    const { viewType, title, onOpen } = this.options;
    const panel = vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active, {
      enableScripts: true,
      enableCommandUris: false,
      enableForms: false,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => this.closed());
    panel.onDidChangeViewState(() => this.visibilityChanged(panel.visible));
    panel.webview.onDidReceiveMessage((said: unknown) => this.heard(said));
    panel.webview.html = reportPage(randomBytes(16).toString('hex'), vscode.env.language);
    this.panel = panel;
    onOpen?.(true);
  }

  private heard(said: unknown): void {
    if (said === pageIsReady) {
      this.isListening = true;
      this.shown = undefined;
      this.update();
      return;
    }
    const key = pressedButton(said);
    if (key !== undefined) {
      this.options.onPress?.(key);
    }
  }

  /** VS Code takes the page of a hidden tab away, and loads it anew when it is shown. */
  private visibilityChanged(isVisible: boolean): void {
    if (!isVisible) {
      this.isListening = false;
    }
  }

  private closed(): void {
    this.panel = undefined;
    this.visibilityChanged(false);
    this.options.onOpen?.(false);
  }
}
