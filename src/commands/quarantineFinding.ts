import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { findingsOf } from '../ui/findings/findingsView';
import { restoreQuarantined } from './restoreQuarantined';
import type { Services } from './services';

/** Takes what was found out of the folder, to where it can be put back from. */
export async function quarantineFinding(services: Services, row: unknown, selected: unknown): Promise<void> {
  const { guard, say } = services;
  const findings = findingsOf(row, selected);
  for (const placed of findings) {
    await guard.guardOf(placed)?.takeAway(placed.finding.path);
  }
  if (findings.length > 0) {
    const text = message('It was taken out of the folder, and is kept where nothing runs it.');
    if (await say.offer(text, vscode.l10n.t('Put Back…'))) await restoreQuarantined(services);
  }
}
