import * as vscode from 'vscode';
import { isReadableOnTheWay } from '../../gateway/modelAddress';
import { message } from '../../sandbox/message';
import { Cancelled } from '../../sandbox/userError';
import { addressLabel } from './addressLabel';
import type { ModelAnswer } from './modelApprovals';
import { plainText } from '../plainText';
import type { Say } from '../say';

/** Asks about a server of models that a folder names and that nobody has approved for it. */
export async function askAboutModel(baseUrl: string, signal: AbortSignal): Promise<ModelAnswer> {
  const use = useOf(
    baseUrl,
    vscode.l10n.t('{0} gets the prompts, and what the agent reads', plainText(baseUrl)),
  );
  const without: vscode.QuickPickItem = {
    label: vscode.l10n.t('Start without it'),
    detail: vscode.l10n.t('Nothing is sent to it this time. You are asked again at the next start.'),
  };
  const refuse: vscode.QuickPickItem = {
    label: vscode.l10n.t('Don’t start'),
    detail: vscode.l10n.t('Nothing is sent. Correct opencode.json if you did not write this.'),
  };
  const picked = await withToken(signal, (token) =>
    vscode.window.showQuickPick(
      [use, without, refuse],
      {
        title: vscode.l10n.t('A model that you have not approved'),
        placeHolder: vscode.l10n.t(
          'opencode.json names it, which the agent can write: look where prompts would go',
        ),
        ignoreFocusOut: true,
      },
      token,
    ),
  );
  if (picked === use) return 'use';
  return picked === without ? 'without' : 'refuse';
}

/** Asks whether a server that a folder names may be used for it, before a key for it is. @throws Cancelled */
export async function approveNamed(baseUrl: string): Promise<void> {
  const use = useOf(
    baseUrl,
    vscode.l10n.t('{0} gets the prompts, what the agent reads, and the key for it', plainText(baseUrl)),
  );
  const refuse: vscode.QuickPickItem = {
    label: vscode.l10n.t('Don’t use it'),
    detail: vscode.l10n.t('Nothing is sent. Correct opencode.json if you did not write this.'),
  };
  // the safe answer is the one that Enter gives
  const picked = await vscode.window.showQuickPick([refuse, use], {
    title: vscode.l10n.t('A model that you have not approved'),
    placeHolder: vscode.l10n.t(
      'opencode.json names it, which the agent can write: look where prompts would go',
    ),
    ignoreFocusOut: true,
  });
  if (picked !== use) throw new Cancelled('a model was not approved');
}

/** Asks before a server that was typed in is used unencrypted. @throws Cancelled */
export async function confirmReadable(baseUrl: string, say: Say): Promise<void> {
  if (!isReadableOnTheWay(baseUrl)) return;
  const text = message(
    'The connection to {0} is not encrypted: everybody on the way can read the key and the prompts. If the server can do https://, use that.',
    addressLabel(baseUrl),
  );
  if (!(await say.confirm(text, vscode.l10n.t('Use It Unencrypted')))) {
    throw new Cancelled('a connection would not have been encrypted');
  }
}

/**
 * @param detail begins with the address, because VS Code cuts off what is too long for a line; for the same reason what
 *   is bad about it begins the label, in which the address is short
 */
function useOf(baseUrl: string, detail: string): vscode.QuickPickItem {
  const address = addressLabel(baseUrl);
  return isReadableOnTheWay(baseUrl)
    ? {
        label: vscode.l10n.t('NOT ENCRYPTED: use {0} for this folder', address),
        detail,
        description: vscode.l10n.t('everybody on the way can read it'),
      }
    : { label: vscode.l10n.t('Use {0} for this folder', address), detail };
}

/** Asks something that a signal takes away. */
async function withToken<Answer>(
  signal: AbortSignal,
  ask: (token: vscode.CancellationToken) => Thenable<Answer>,
): Promise<Answer> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) {
    cancel();
  }
  try {
    return await ask(source.token);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}
