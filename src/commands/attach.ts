import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { pickSandbox } from '../ui/pickSandbox';
import type { Services } from './services';

/** Shows a running sandbox in a terminal. */
export async function attach({ launcher, registry, say }: Services): Promise<void> {
  await registry.discover();
  const sandboxes = registry.running().filter(({ summary }) => summary.kind !== 'task');
  if (sandboxes.length === 0) {
    void say.information(message('No sandbox with a terminal is running in the folders of this window.'));
    return;
  }
  const sandbox = await pickSandbox(sandboxes, vscode.l10n.t('The sandbox to show'));
  await launcher.attach(sandbox, false);
}
