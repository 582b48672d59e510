import * as vscode from 'vscode';
import { commandIds } from '../contributions';
import { wantedModels } from '../launch/modelAccess';
import {
  type KeyTarget,
  keyTargets,
  type ModelTarget,
  type NamedInFolder,
  signedTarget,
} from '../launch/modelTargets';
import { readProjectConfiguration } from '../opencode/projectConfiguration';
import { type Message, message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { checkWithProgress, type GoodCheck, isRefusedKey } from '../ui/models/modelCheck';
import { askKey, given } from '../ui/models/modelInput';
import { addressLabel } from '../ui/models/addressLabel';
import { approveNamed } from '../ui/models/modelQuestion';
import { plainText } from '../ui/plainText';
import { diskFolders, realPathOf } from '../ui/window';
import type { Services } from './services';

/** Asks for a key, keeps it for one server of models, and asks the server whether it takes the key. */
export async function setApiKey({ models: { secrets, approvals }, say }: Services): Promise<void> {
  const picked = await vscode.window.showQuickPick(keyTargets(await namedInWindow()).map(keyItem), {
    title: vscode.l10n.t('Set API Key'),
    placeHolder: vscode.l10n.t('The server that the key is for. It is sent to this address alone.'),
    ignoreFocusOut: true,
  });
  const { target, folders } = given(picked).of;
  const [folder] = folders;
  const isApproved = folders.some((one) => approvals.of(one).includes(target.baseUrl));
  if (folder !== undefined && !isApproved) await approveNamed(target.baseUrl);
  const key = given(
    await askKey(message('It goes to VS Code’s secret storage and never into the sandbox.'), false),
  );
  if (folder !== undefined && !isApproved) await approvals.approve(folder, target.baseUrl);
  await secrets.setModelKey(target.baseUrl, key);
  void say.information(keptText(await checkKept(target, key)));
}

function keyItem(of: KeyTarget): vscode.QuickPickItem & { readonly of: KeyTarget } {
  const { kind, name, baseUrl } = of.target;
  if (kind === 'known') return { label: plainText(name), description: plainText(baseUrl), of };
  return {
    // the id can be that of somebody else
    label: addressLabel(baseUrl),
    description: vscode.l10n.t('named in opencode.json, which the agent can write'),
    detail: `${plainText(name)}: ${plainText(baseUrl)}`,
    of,
  };
}

/** @throws UserError, Cancelled: the key is kept all the same */
async function checkKept(target: ModelTarget, key: string): Promise<GoodCheck> {
  try {
    return await checkWithProgress(signedTarget(target, key));
  } catch (error) {
    if (!isRefusedKey(error)) throw error;
    throw new UserError(
      'model.keyRefused',
      message(
        'The key is kept; the server did not accept it. Set another one, or look whether it is for this server.',
      ),
      { kind: 'runCommand', command: commandIds.setApiKey },
      { cause: error },
    );
  }
}

function keptText({ models, isKeyTested, latencyMilliseconds }: GoodCheck): Message {
  if (isKeyTested) {
    return message(
      'The key is kept. The model’s server took it, and answered in {0} ms.',
      Math.round(latencyMilliseconds),
    );
  }
  return models === undefined
    ? message(
        'The key is kept. The server has no list of models below its base URL, so the key was not tested.',
      )
    : message('The key is kept. The server lists its models without a key, so the key was not tested.');
}

/** The servers that the folders of this window name, which may be none. A folder that can't be read names none. */
async function namedInWindow(): Promise<NamedInFolder[]> {
  const named = await Promise.allSettled(
    diskFolders().map(async ({ uri }) => {
      const folder = await realPathOf(uri.fsPath);
      return wantedModels(await readProjectConfiguration(folder)).map((wanted) => ({ folder, wanted }));
    }),
  );
  return named.flatMap((read) => (read.status === 'fulfilled' ? read.value : []));
}
