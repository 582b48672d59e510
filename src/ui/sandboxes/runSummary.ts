import * as vscode from 'vscode';
import type { SandboxSummary } from '../../supervisor/protocol';
import type { SandboxEnd } from '../../supervisor/protocol';
import type { NetworkLogs } from '../network/networkLog';
import type { Say } from '../say';
import { type RunFacts, summaryText } from './runSummaryText';
import { translate } from '../translate';

export interface RunSummaryOptions {
  /** how many files a sandbox has changed; undefined when nothing was kept to compare them with */
  readonly countChanged: (sandbox: SandboxSummary) => Promise<number | undefined>;
  readonly logs: Pick<NetworkLogs, 'list'>;
  readonly review: (sandbox: SandboxSummary) => Promise<void>;
  readonly say: Say;
  readonly log: (line: string) => void;
  /** how many findings of the guard wait for an answer in its folder */
  readonly findings: (sandbox: SandboxSummary) => number;
}

/** Tells once, when a sandbox has ended, what it has done. */
export class RunSummary {
  constructor(readonly options: RunSummaryOptions) {}

  /** Never throws. */
  async tell(sandbox: SandboxSummary, end: SandboxEnd): Promise<void> {
    const { say, review } = this.options;
    try {
      const facts = await this.factsOf(sandbox);
      const text = summaryText(sandbox.kind, end, facts, translate);
      if (!text) return;
      if (facts.files === undefined || facts.files === 0) await say.information(text);
      else if (await say.offer(text, vscode.l10n.t('Review'))) await review(sandbox);
    } catch (error) {
      void say.error(error);
    }
  }

  private async factsOf(sandbox: SandboxSummary): Promise<RunFacts> {
    const { countChanged, logs, findings, log } = this.options;
    const files = await countChanged(sandbox).catch((error: unknown) => {
      log(`[${sandbox.id}] What it changed is not known: ${String(error)}`);
      return undefined;
    });
    const logged = logs.list().find(({ summary }) => summary.id === sandbox.id);
    return {
      files,
      findings: findings(sandbox),
      denied: logged?.entries.filter(({ verdict }) => verdict === 'denied').length ?? 0,
    };
  }
}
