import * as vscode from 'vscode';
import { commandIds } from '../contributions';
import { type WantedModel, wantedModels } from '../launch/modelAccess';
import { knownTarget, type ModelTarget, namedTarget, signedTarget } from '../launch/modelTargets';
import { hostedProvider, knownProviders } from '../opencode/knownProviders';
import { readProjectConfiguration } from '../opencode/projectConfiguration';
import { type Message, message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { checkWithProgress, type GoodCheck, isRefusedKey } from '../ui/modelCheck';
import { askKey, given } from '../ui/modelInput';
import { plainText } from '../ui/plainText';
import { diskFolders, realPathOf } from '../ui/window';
import type { Services } from './services';

/** Asks for a key, keeps it for one server of models, and asks the server whether it takes the key. */
export async function setApiKey({ models: { secrets }, say }: Services): Promise<void> {
  const items = targetsOf(await namedInWindow()).map((target) => ({
    label: plainText(target.name),
    description: plainText(target.baseUrl),
    target,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Set API Key'),
    placeHolder: vscode.l10n.t('The server that the key is for. It is sent to this address alone.'),
    ignoreFocusOut: true,
  });
  const { target } = given(picked);
  const key = given(
    await askKey(message('It goes to VS Code’s secret storage and never into the sandbox.'), false),
  );
  await secrets.setModelKey(target.baseUrl, key);
  void say.information(keptText(await checkKept(target, key)));
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
export async function namedInWindow(): Promise<WantedModel[]> {
  const texts = await Promise.allSettled(
    diskFolders().map(async ({ uri }) => readProjectConfiguration(await realPathOf(uri.fsPath))),
  );
  return texts.flatMap((read) => (read.status === 'fulfilled' ? wantedModels(read.value) : []));
}

function targetsOf(named: readonly WantedModel[]): ModelTarget[] {
  const known = knownProviders.filter(({ id }) => id !== hostedProvider).map(knownTarget);
  const all = [...named.map(namedTarget), ...known];
  return all.filter((target, index) => all.findIndex(({ baseUrl }) => baseUrl === target.baseUrl) === index);
}
