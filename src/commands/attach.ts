import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { pickSandbox } from '../ui/sandboxes/pickSandbox';
import { sandboxOf } from '../ui/sandboxes/sandboxesView';
import type { Services } from './services';

/** Shows a running sandbox in a terminal: that of a row of the view, or one of this window's folders. */
export async function attach({ views, registry, say }: Services, row: unknown): Promise<void> {
  const listed = sandboxOf(row);
  if (listed) {
    await views.show(await registry.adopt(listed.socket), false);
    return;
  }
  await registry.discover();
  const sandboxes = registry.running();
  if (sandboxes.length === 0) {
    void say.information(message('No sandbox is running in the folders of this window.'));
    return;
  }
  const sandbox = await pickSandbox(sandboxes, vscode.l10n.t('The sandbox to show'));
  await views.show(sandbox, false);
}
