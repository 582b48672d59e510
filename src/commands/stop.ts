import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { pickSandbox } from '../ui/sandboxes/pickSandbox';
import { sandboxOf } from '../ui/sandboxes/sandboxesView';
import type { Services } from './services';

/** Ends a sandbox with everything in it: that of a row of the view, or one of this window's folders. */
export async function stop({ registry, say }: Services, row: unknown): Promise<void> {
  const listed = sandboxOf(row);
  if (listed) {
    await registry.stop(listed.id);
    return;
  }
  const sandboxes = registry.running();
  if (sandboxes.length === 0) {
    void say.information(message('No sandbox is running in the folders of this window.'));
    return;
  }
  const { summary } = await pickSandbox(sandboxes, vscode.l10n.t('The sandbox to stop'));
  await registry.stop(summary.id);
}
