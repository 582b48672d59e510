import * as vscode from 'vscode';
import type { RunRecord } from '../../host/runRecords';
import { Cancelled } from '../../sandbox/userError';
import type { SnapshotName } from '../../snapshot/manifestText';
import { momentText, sortMoments } from './reviewTexts';
import { translate } from '../translate';

interface MomentItem extends vscode.QuickPickItem {
  /** of a snapshot; a heading has none */
  readonly id?: string;
}

/**
 * Lets the user choose the moment since which changes are shown. That of the last agent comes first, so that Enter
 * takes it: one who looked around in a shell since then asks for what the agent did all the same.
 * @param snapshots the newest first
 * @returns the id of a snapshot
 * @throws Cancelled
 */
export async function pickMoment(
  snapshots: readonly SnapshotName[],
  runs: readonly RunRecord[],
): Promise<string> {
  const itemOf = (snapshot: SnapshotName): MomentItem => ({
    label: translate(momentText(snapshot, runs)),
    description: new Date(snapshot.time).toLocaleString(),
    id: snapshot.id,
  });
  const heading = (label: string): MomentItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const { lastOfAgent, others } = sortMoments(snapshots, runs);
  const items = lastOfAgent
    ? [
        heading(vscode.l10n.t('The last time that the agent worked here')),
        itemOf(lastOfAgent),
        heading(vscode.l10n.t('Other moments')),
        ...others.map(itemOf),
      ]
    : others.map(itemOf);
  const title = vscode.l10n.t('Review Changes');
  const placeHolder = vscode.l10n.t('The moment since which the changes are shown');
  const id = (await vscode.window.showQuickPick(items, { title, placeHolder }))?.id;
  if (id === undefined) throw new Cancelled('no moment was chosen');
  return id;
}
