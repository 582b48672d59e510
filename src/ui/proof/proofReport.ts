import * as vscode from 'vscode';
import { commandIds } from '../../contributions';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import { BlockPanel } from '../report/blockPanel';
import { reportMarkdown } from '../report/reportText';
import { translate } from '../translate';
import { proofContent, type ProofRun } from './proofContent';

/** The last proof of this window as a page, as Markdown, and as JSON. */
export class ProofReport implements vscode.Disposable {
  private latest: ProofRun | undefined;
  private readonly panel = new BlockPanel({
    // the manifest shows buttons where this is in front
    viewType: 'sandboxed-agent.proof',
    title: vscode.l10n.t('Proof of the Sandbox'),
    read: () => (this.latest ? proofContent(this.latest, translate) : []),
  });

  /** Shows a run in the page, which it opens if need be. */
  show(run: ProofRun): void {
    this.latest = run;
    this.panel.show();
    this.panel.update();
  }

  /** Opens the last run as a new Markdown document. @throws UserError when there is none */
  async openAsMarkdown(): Promise<void> {
    const content = reportMarkdown(proofContent(this.require(), translate));
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
    await vscode.window.showTextDocument(document, { preview: false });
  }

  /** The last run as a JSON document of ASCII. @throws UserError when there is none */
  json(): string {
    const text = JSON.stringify(this.require().document, undefined, 2);
    return `${text.replace(/[^\x20-\x7e\n]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
  }

  dispose(): void {
    this.panel.dispose();
  }

  private require(): ProofRun {
    if (this.latest) return this.latest;
    throw new UserError('proof.none', message('Nothing was proven in this window yet.'), {
      kind: 'runCommand',
      command: commandIds.proveSandbox,
    });
  }
}
