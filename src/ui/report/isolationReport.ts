import * as vscode from 'vscode';
import type { Message } from '../../sandbox/message';
import { BlockPanel } from './blockPanel';
import type { ReportBlock } from './reportBlock';
import { reportContent } from './reportContent';
import { reportMarkdown } from './reportText';
import type { ShownSandbox } from '../status/indicator';
import { translate } from '../translate';

/** A verdict grows old without anything happening. */
const updateMilliseconds = 1000;

/** The isolation report as a page that follows the verdicts while it is open. */
export class IsolationReport implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly panel = new BlockPanel({
    // the manifest shows a button for the report as Markdown where this is in front
    viewType: 'sandboxed-agent.isolationReport',
    title: vscode.l10n.t('Isolation Report'),
    read: () => this.read(),
    onOpen: (isOpen) => this.follow(isOpen),
  });

  /**
   * @param readSandboxes the sandboxes to report on
   * @param readProof what the last attempt to get out has shown
   */
  constructor(
    private readonly readSandboxes: () => readonly ShownSandbox[],
    private readonly readProof?: () => Message,
  ) {}

  /** Opens the report, or brings it to the front. */
  show(): void {
    this.panel.show();
  }

  /** Shows the present state, if the report is open and there is something new. */
  update(): void {
    this.panel.update();
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
    this.panel.dispose();
  }

  private follow(isOpen: boolean): void {
    clearInterval(this.timer);
    this.timer = isOpen ? setInterval(() => this.update(), updateMilliseconds) : undefined;
  }

  private read(): ReportBlock[] {
    return reportContent(this.readSandboxes(), Date.now(), translate, this.readProof?.());
  }
}
