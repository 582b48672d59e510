import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { pickSandbox } from '../ui/pickSandbox';
import type { Services } from './services';

/** Ends a sandbox with everything in it. */
export async function stop({ registry, say }: Services): Promise<void> {
  const sandboxes = registry.running();
  if (sandboxes.length === 0) {
    void say.information(message('No sandbox is running in the folders of this window.'));
    return;
  }
  const { summary } = await pickSandbox(sandboxes, vscode.l10n.t('The sandbox to stop'));
  await registry.stop(summary.id);
}
